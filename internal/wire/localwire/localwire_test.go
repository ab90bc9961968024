package localwire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

var start = time.Date(2026, 4, 1, 8, 3, 0, 0, time.UTC)

func settings(t *testing.T, data string) config.Config {
	t.Helper()
	c, err := config.Load(func(k string) (string, bool) { return data, k == "RURI_DATA" })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t *testing.T, data string) *localwire.Backend {
	t.Helper()
	h, err := localwire.Open(t.Context(), settings(t, data), localwire.Options{
		Version: "test", Log: slog.New(slog.DiscardHandler), Clock: clock.NewManual(start),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func waiting(reader.FeedID) store.FeedRow {
	return store.FeedRow{Period: 5, Status: string(reader.StatusWaiting)}
}

// TestTwoProcessesOnOneFolder write at once what must be one: the owner, the secret, the numbers of feeds; and
// each sees what the other did, through its own memory too.
func TestTwoProcessesOnOneFolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	apps := []*localwire.Backend{open(t, data), open(t, data)}
	owners := make([]reader.UserID, len(apps))
	var wg sync.WaitGroup
	for i, h := range apps {
		wg.Go(func() {
			a, err := h.Auth.EnsureOwner(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			owners[i] = a.ID()
			for n := range 20 {
				f, err := h.Store.Feeds.Ensure(context.Background(), fmt.Sprint("https://example.org/", n), waiting)
				if err == nil {
					_, err = h.Subscribe.Attach(context.Background(), a.ID(), f, subscribe.Options{})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if owners[0] != owners[1] || owners[0] == "" {
		t.Fatalf("the owners are %q", owners)
	}
	for i, h := range apps {
		list, err := h.Streams.Feeds(t.Context(), owners[0])
		if err != nil || len(list) != 20 {
			t.Errorf("process %d shows %d feeds, %v", i, len(list), err)
		}
		session, _, err := h.Auth.NewSession(t.Context(), owners[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := apps[1-i].Auth.Session(t.Context(), session); err != nil {
			t.Errorf("a session of process %d is not known to the other: %v", i, err)
		}
	}
	// A remembered side bar follows the other process. Which numbers there are the race decided: one
	// whose address was lost stays unused.
	list, err := apps[0].Streams.Feeds(t.Context(), owners[0])
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	if err := apps[0].Subscribe.Leave(t.Context(), owners[0], list[0].Feed.ID()); err != nil {
		t.Fatal(err)
	}
	if list, err := apps[1].Streams.Feeds(t.Context(), owners[0]); err != nil || len(list) != 19 {
		t.Errorf("after the other process unsubscribed %d are shown, %v", len(list), err)
	}
}

// TestDataSurvivesReopening: what was acknowledged is there at the next start.
func TestDataSurvivesReopening(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "a", "new", "folder")
	h := open(t, data)
	if _, err := h.Store.Feeds.Ensure(t.Context(), "https://example.org/", waiting); err != nil {
		t.Fatal(err)
	}
	if err := h.Queue.Send(t.Context(), [][]byte{[]byte(`{"kind":"first"}`)}, 0); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = open(t, data)
	if _, err := h.Store.Feeds.FindURL(t.Context(), "https://example.org/"); err != nil {
		t.Errorf("the feed is gone: %v", err)
	}
	if got, err := h.Queue.Receive(t.Context(), 1, 0); err != nil || len(got) != 1 {
		t.Errorf("the message is gone: %v", err)
	}
}

// TestRestartContinuesAtOnce: what a process that was killed had received, and the part of hosts that it held, are free
// at the next start, not after twelve minutes; but not beside a process that lives. What waits for its time goes on
// waiting, and a message that kills each process that receives it ends among the dead letters.
func TestRestartContinuesAtOnce(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	h := open(t, data)
	receive := func(h *localwire.Backend) []queue.Delivery {
		t.Helper()
		ds, err := h.Queue.Receive(t.Context(), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		return ds
	}
	if err := h.Queue.Send(t.Context(), [][]byte{[]byte(`"later"`)}, 0); err != nil {
		t.Fatal(err)
	}
	if err := h.Queue.Release(t.Context(), receive(h)[0], time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := h.Queue.Send(t.Context(), [][]byte{[]byte(`"deadly"`)}, 0); err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		if n > 1 {
			h = open(t, data)
		}
		ds := receive(h)
		if n > 5 {
			if len(ds) != 0 {
				t.Fatalf("after 5 kills it comes again: %s, received %d times", ds[0].Body, ds[0].Receives)
			}
			break
		}
		if len(ds) != 1 || string(ds[0].Body) != `"deadly"` || ds[0].Receives != n {
			t.Fatalf("start %d: %+v", n, ds)
		}
		if _, err := h.Store.Leases.Take(t.Context(), 0, 1, start, start.Add(time.Hour)); err != nil {
			t.Fatalf("start %d: the part is held: %v", n, err)
		}
		second := open(t, data)
		if ds := receive(second); len(ds) != 0 {
			t.Fatalf("start %d: taken from a process that lives: %+v", n, ds)
		}
		if _, err := second.Store.Leases.Take(t.Context(), 0, 1, start, start.Add(time.Hour)); err == nil {
			t.Fatalf("start %d: the part of a process that lives is free", n)
		}
		// Whatever a process holds ends with it, closed or killed: nothing was acknowledged or released.
		if err := errors.Join(second.Close(), h.Close()); err != nil {
			t.Fatal(err)
		}
	}
	dead, err := h.Queue.Dead(t.Context(), 10)
	if err != nil || len(dead) != 1 || string(dead[0].Body) != `"deadly"` {
		t.Errorf("the dead letters are %+v, %v", dead, err)
	}
}

func TestFoldersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := os.MkdirAll(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "ruri.db"), []byte(strings.Repeat("no database ", 1000)),
		0o600); err != nil {
		t.Fatal(err)
	}
	readOnly := filepath.Join(dir, "readonly")
	if err := os.MkdirAll(readOnly, 0o500); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{"a file": file, "below a file": filepath.Join(file, "data"), "another's file": foreign}
	if os.Geteuid() != 0 { // root may write everywhere
		cases["not writable"] = readOnly
	}
	for name, data := range cases {
		_, err := localwire.Open(t.Context(), settings(t, data), localwire.Options{Log: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.Contains(err.Error(), data) || !strings.HasPrefix(err.Error(), "the data folder ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// small is a home whose table may grow to a megabyte, as on a full disk.
func small(t *testing.T, data string, maxBytes int64) (*wire.App, *table.Table) {
	t.Helper()
	clk := clock.NewManual(start)
	td, err := sqlitetable.Open(filepath.Join(data, "ruri.db"), sqlitetable.Options{MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	qd, err := sqlitequeue.Open(t.Context(), filepath.Join(data, "queue.db"), sqlitequeue.Options{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	bd, err := fileblob.Open(filepath.Join(data, "blobs"), fileblob.Options{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	tb := table.New(td, table.Options{Clock: clk, Kind: store.Kind})
	app := wire.Build(settings(t, data), "test", wire.Seams{
		Table: tb, Blobs: blob.New(bd), Queue: queue.New(qd, queue.Options{}), Clock: clk,
		Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { _ = errors.Join(td.Close(), qd.Close(), bd.Close()) })
	return app, tb
}

// TestFullDiskIsReportedAndDamagesNothing fills the table, changes things through the API meanwhile, and
// goes on when there is room again.
func TestFullDiskIsReportedAndDamagesNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	app, tb := small(t, data, 1<<20)
	owner, err := app.Auth.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := app.Auth.NewToken(t.Context(), owner.ID(), "test", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Code, Message, Action  string
		Imported, Failed       int
		Feeds                  []struct{ URL string }
		AlreadySubscribed      int
		Status, Category, Path string
	}
	call := func(app *wire.App, method, path, body string) (int, answer) {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		rec := httptest.NewRecorder()
		app.Handler().ServeHTTP(rec, r)
		var a answer
		if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil && rec.Code != 204 {
			t.Fatalf("%s %s: %v: %s", method, path, err, rec.Body)
		}
		return rec.Code, a
	}
	outline := func(n int) string {
		return fmt.Sprintf(
			`<opml version="2.0"><body><outline text="f" xmlUrl="https://example.org/%d"/></body></opml>`, n)
	}
	if status, a := call(app, "POST", "/api/import/opml", outline(0)); status != 200 || a.Imported != 1 {
		t.Fatalf("with room: %d %+v", status, a)
	}
	// Rows of falling size, so that not even a small one finds room in the end.
	var fillers []table.Key
	for size := 200_000; size > 50; {
		k := table.Key{PK: fmt.Sprint("Z#", len(fillers)), SK: "-"}
		row := struct {
			PK string `dynamo:"pk"`
			SK string `dynamo:"sk"`
			B  []byte `dynamo:"b"`
		}{k.PK, k.SK, make([]byte, size)}
		if err := tb.Put(t.Context(), row); err != nil {
			size /= 2
			continue
		}
		fillers = append(fillers, k)
	}
	refused := 0
	for n := 1; n < 40; n++ {
		status, a := call(app, "POST", "/api/import/opml", outline(n))
		if status == 200 {
			continue // found room in a page that was not full
		}
		refused++
		if status != 507 || a.Code != "storage_full" || !strings.Contains(a.Message, "disk is full") || a.Action == "" {
			t.Fatalf("a full disk answers %d %+v", status, a)
		}
	}
	if refused == 0 {
		t.Fatal("the disk was never full")
	}
	status, before := call(app, "GET", "/api/feeds", "")
	if status != 200 || len(before.Feeds) == 0 {
		t.Errorf("reading on a full disk answers %d with %d feeds", status, len(before.Feeds))
	}
	// The same file, opened anew, with room.
	again, tb := small(t, data, 0)
	if status, a := call(again, "GET", "/api/feeds", ""); status != 200 || len(a.Feeds) != len(before.Feeds) {
		t.Errorf("opened anew: %d with %d feeds, before %d", status, len(a.Feeds), len(before.Feeds))
	}
	if err := tb.BatchWrite(t.Context(), nil, fillers); err != nil {
		t.Fatal(err)
	}
	for _, app := range []*wire.App{app, again} { // the first has its limit still, and room below it now
		for n := range 40 {
			if status, a := call(app, "POST", "/api/import/opml", outline(n)); status != 200 || a.Failed != 0 {
				t.Fatalf("with room again: %d %+v", status, a)
			}
		}
	}
	if _, a := call(again, "GET", "/api/feeds", ""); len(a.Feeds) != 40 {
		t.Errorf("in the end there are %d feeds", len(a.Feeds))
	}
}

// TestSweepFreesSpace removes what expired, at once and not an hour later.
func TestSweepFreesSpace(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	h := open(t, data)
	if err := h.Store.Cache.PutFor(t.Context(), "x", []byte("body"), time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := h.Store.Cache.PutFor(t.Context(), "y", []byte("body"), time.Hour); err != nil {
		t.Fatal(err)
	}
	h.Clock.(*clock.Manual).Add(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // it sweeps before it looks
	h.Sweep(ctx)
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	h.Sweep(ctx)
	early := open(t, data)
	early.Clock.(*clock.Manual).Set(start)
	if _, err := early.Store.Cache.Get(t.Context(), "x"); err == nil {
		t.Error("an expired row is still in the file")
	}
}
