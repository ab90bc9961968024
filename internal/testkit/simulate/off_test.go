package simulate

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// witness notes each row, range and message of the parts that are off until somebody switches them on.
type witness struct {
	table.Driver
	saw []string
}

func (w *witness) look(keys ...table.Key) {
	for _, k := range keys {
		switch kind := store.Kind(k); kind {
		case "webhook", "notices", "device", "tokens", "token":
			w.saw = append(w.saw, kind+" "+k.PK+" "+k.SK)
		case "settings", "system":
			if k.SK == "P#assist" || k.SK == "budget" || k.SK == "secret-push" {
				w.saw = append(w.saw, k.SK)
			}
		}
	}
}

func (w *witness) Get(ctx context.Context, k table.Key, c bool) (table.Row, bool, table.Usage, error) {
	w.look(k)
	return w.Driver.Get(ctx, k, c)
}

func (w *witness) BatchGet(ctx context.Context, keys []table.Key, c bool) ([]table.Row, []table.Key, table.Usage,
	error) {
	w.look(keys...)
	return w.Driver.BatchGet(ctx, keys, c)
}

// Query looks at where the range begins: rows of these kinds that lie within the range of another are no read more.
func (w *witness) Query(ctx context.Context, r table.Range) (table.Rows, table.Usage, error) {
	from, _ := r.Bounds()
	w.look(table.Key{PK: r.PK, SK: from})
	return w.Driver.Query(ctx, r)
}

func (w *witness) Write(ctx context.Context, o table.WriteOp) (table.Row, bool, table.Usage, error) {
	w.look(o.Key)
	return w.Driver.Write(ctx, o)
}

func (w *witness) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key, now int64) ([]table.Row,
	[]table.Key, table.Usage, error) {
	w.look(deletes...)
	for _, r := range puts {
		w.look(r.Key)
	}
	return w.Driver.BatchWrite(ctx, puts, deletes, now)
}

// witnessed are messages that a witness looks at.
type witnessed struct {
	*messages
	by *witness
}

func (q witnessed) Send(ctx context.Context, bodies [][]byte, delay time.Duration) ([]int, error) {
	ofThese := []string{job.Budget, job.Notify, job.Trouble, job.Hook, job.Hooks, job.Notice}
	for _, b := range bodies {
		if j, err := job.Decode(b); err == nil && slices.Contains(ofThese, j.Kind) {
			q.by.saw = append(q.by.saw, "message "+j.Kind)
		}
	}
	return q.messages.Send(ctx, bodies, delay)
}

// TestWhatIsOffCostsNothing plays a day of reading and polling with assistant, notifications, webhooks, shared lists
// and the month's limit switched off: none of them writes a row, reads one or sends a message. C-4
func TestWhatIsOffCostsNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newSimulation(cost.Options{Feeds: 10, Users: 1, Views: 6, Interval: time.Hour, Tick: schedule.TickLength,
		Seed: 1}, cost.Embedded().Model)
	by := &witness{Driver: w.gauge.Driver}
	w.gauge.Driver = by
	w.queue = queue.New(witnessed{&messages{clock: w.clock}, by}, queue.Options{})
	if err := w.subscribe(ctx); err != nil {
		t.Fatal(err)
	}
	if len(by.saw) > w.feeds { // whoever subscribes is asked once for webhooks
		t.Errorf("%d subscriptions asked for %q", w.feeds, by.saw)
	}
	by.saw = nil
	if err := w.live(ctx, true); err != nil {
		t.Fatal(err)
	}
	if w.reader.opened == 0 || w.day.Published == 0 || w.day.Messages == 0 {
		t.Errorf("not a day like real ones: %+v", w.day)
	}
	if len(by.saw) > 0 {
		slices.Sort(by.saw)
		t.Errorf("what is off was asked for: %q", slices.Compact(by.saw))
	}

	// Each of them is seen when it is there.
	app, u := w.process(w.read, w.said), w.reader.id
	for what, ask := range map[string]func() error{
		"budget":   func() error { _, err := app.Store.Budget.Get(ctx); return err },
		"consent":  func() error { _, err := app.Store.Assist.Agreed(ctx, u); return err },
		"tokens":   func() error { _, err := app.Store.Assist.Used(ctx, u, w.clock.Now()); return err },
		"webhooks": func() error { _, err := app.Store.Webhooks.Wanted(ctx, u); return err },
		"notices":  func() error { _, err := app.Store.Notices.Get(ctx, u); return err },
		"devices":  func() error { _, err := app.Store.Notices.Devices(ctx, u); return err },
		"messages": func() error { return app.Queue.Send(ctx, [][]byte{job.Job{Kind: job.Budget}.Encode()}, 0) },
	} {
		by.saw = nil
		if err := ask(); err != nil || len(by.saw) == 0 {
			t.Errorf("%s are not seen, %v", what, err)
		}
	}
}
