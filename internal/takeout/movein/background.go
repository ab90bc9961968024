package movein

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/takeout"
)

// Background moves accounts by messages, each of which does what fits its time.
type Background struct {
	Store   *store.Store
	Takeout *takeout.Service
	Feeds   takeout.Feeds
	Queue   job.Sender
	Clock   clock.Clock
	Client  Doer
}

const (
	// Timeout and MaxAnswer bound a request.
	Timeout   = 20 * time.Second
	MaxAnswer = 64 << 20
	// workTime bounds a message: a function of the cloud has two minutes.
	workTime = 40 * time.Second
	// A run waits for feeds that are fetched for the first time, and for a reader that does not answer.
	pause       = 20 * time.Second
	maxAttempts = 30
	maxMessages = 5000
)

var (
	errEnough = errors.New("movein: the rest is for the next message")
	errWait   = errors.New("movein: feeds are being fetched")
)

// Work does some of an import, and sends the message for the rest. A message that comes twice, or again after a crash,
// begins where the last one that was done ended; what it repeats has no effect.
func (b *Background) Work(ctx context.Context, j job.Job) error {
	im, err := b.Store.Imports.One(ctx, j.User, j.List)
	if fault.Is(err, fault.NotFound) {
		return nil // the import was removed
	}
	if err != nil || im.Ended > 0 {
		return err
	}
	c, err := b.Store.Imports.Chunk(ctx, j.User, j.List, j.Chunk)
	if err == nil && c == nil {
		c, err = b.chunk(ctx, j, im)
	}
	switch code := fault.CodeOf(err); {
	case errors.Is(err, errWait), code == "other_reader" && j.Attempt < maxAttempts:
		j.Attempt++
		return job.Send(ctx, b.Queue, pause, j)
	case code == "other_reader", code == "no_api", code == "login_refused", code == "import_file_gone":
		return b.Takeout.End(ctx, j.User, j.List, code)
	case err != nil:
		return err
	}
	if err := b.Store.Imports.PutChunk(ctx, j.User, &im.ImportRow, j.Chunk, *c); err != nil {
		return err
	}
	if c.State == "" || j.Chunk >= maxMessages {
		return b.Takeout.End(ctx, j.User, j.List, "")
	}
	return job.Send(ctx, b.Queue, 0, job.Job{Kind: job.MoveIn, User: j.User, List: j.List, Chunk: j.Chunk + 1})
}

// chunk does what fits a message and returns its result.
func (b *Background) chunk(ctx context.Context, j job.Job, im *store.Import) (*store.ImportChunk, error) {
	var st State
	percent := 0
	for _, c := range im.Done {
		percent += c.N
		st = State{}
		if err := json.Unmarshal([]byte(c.State), &st); err != nil {
			return nil, fault.New(fault.Internal, "bad_import", "movein", err)
		}
	}
	account, err := b.Takeout.ReaderOf(ctx, j.User, j.List)
	if err != nil {
		return nil, err
	}
	if b.Client == nil {
		return nil, errMissing
	}
	from, err := Connect(ctx, Account{Reader: account, Client: b.Client, Tries: 1})
	if err != nil {
		return nil, err
	}
	began, now := b.Clock.Now(), percent
	m := Mover{Store: b.Store, Takeout: b.Takeout, Feeds: b.Feeds, User: j.User,
		Poll: func(context.Context, []*store.FeedRow) error {
			if j.Attempt < maxAttempts {
				return errWait
			}
			return nil
		},
		Save: func(s State) error {
			isFirst := !st.Feeds // new feeds are fetched meanwhile
			if st = s; isFirst || b.Clock.Now().Sub(began) > workTime {
				return errEnough
			}
			return nil
		},
		Progress: func(stage string, done, total int) {
			share := map[string]int{"read state": 20, "starred and labelled": 60}
			now = max(now, share[stage]+min(39*done/max(total, 1), 39))
		},
	}
	res, err := m.Run(ctx, from, st)
	isDone := err == nil
	if !isDone && !errors.Is(err, errEnough) {
		return nil, err
	}
	c := &store.ImportChunk{Made: res.Made, Had: res.Feeds - len(res.Made), Items: res.Starred + res.Labelled}
	if isDone {
		now, c.Waiting = 100, res.Waiting
	} else {
		state, err := json.Marshal(st)
		if err != nil {
			return nil, err
		}
		c.State = string(state)
	}
	c.N = now - percent
	return c, takeout.PackFailures(c, res.Failed)
}
