package movein

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/takeout"
)

// Mover moves accounts in steps. The result of each is a row of the import, which also says how far it is.
type Mover struct {
	Store   *store.Store
	Takeout *takeout.Service
	Feeds   takeout.Feeds
	Clock   clock.Clock
	Queue   job.Sender
	Client  Doer
	// Poll fetches feeds for the first time; Work leaves that to others' messages.
	Poll func(ctx context.Context, feeds []*store.FeedRow) error
}

const (
	// Timeout bounds a request.
	Timeout = 20 * time.Second
	// MaxAnswer bounds the bytes of an answer.
	MaxAnswer = 64 << 20
	// stepTime bounds a step: a function of the cloud has two minutes.
	stepTime = 40 * time.Second
	// Work waits for feeds that are fetched for the first time, and for a reader that does not answer.
	pause       = 20 * time.Second
	maxAttempts = 30
	maxSteps    = 5000
)

var (
	errEnough = errors.New("movein: the rest is for the next step")
	errWait   = errors.New("movein: feeds are being fetched")
)

// Work does a step of an import, and sends the message for the next. A message that comes twice, or again after a
// crash, finds its step done, or repeats what has no effect.
func (m *Mover) Work(ctx context.Context, j job.Job) error {
	im, err := m.Store.Imports.One(ctx, j.User, j.List)
	if fault.Is(err, fault.NotFound) {
		return nil // the import was removed
	}
	if err != nil || im.Ended > 0 {
		return err
	}
	here := *m
	here.Poll = func(context.Context, []*store.FeedRow) error {
		if j.Attempt < maxAttempts {
			return errWait
		}
		return nil
	}
	isDone := false
	account, err := m.Takeout.ReaderOf(ctx, j.User, j.List)
	if err == nil {
		isDone, err = here.Step(ctx, j.User, im, j.Chunk, Account{Reader: account, Client: m.Client, Tries: 1})
	}
	switch code := fault.CodeOf(err); {
	case errors.Is(err, errWait), code == "other_reader" && j.Attempt < maxAttempts:
		j.Attempt++
		return job.Send(ctx, m.Queue, pause, j)
	case code == "other_reader", code == "no_api", code == "login_refused", code == "import_file_gone":
		return m.Takeout.End(ctx, j.User, j.List, code)
	case err != nil || isDone:
		return err
	}
	return job.Send(ctx, m.Queue, 0, job.Job{Kind: job.MoveIn, User: j.User, List: j.List, Chunk: j.Chunk + 1})
}

// Step does the nth step of an import, unless that was done before, and ends the import with the last one.
func (m *Mover) Step(ctx context.Context, u reader.UserID, im *store.Import, n int, a Account) (isDone bool,
	err error) {
	c, err := m.Store.Imports.Chunk(ctx, u, im.ID(), n)
	if err == nil && c == nil {
		if c, err = m.step(ctx, u, im, a); err == nil {
			err = m.Store.Imports.PutChunk(ctx, u, &im.ImportRow, n, *c)
		}
	}
	if err != nil || c.State != "" && n < maxSteps {
		return false, err
	}
	return true, m.Takeout.End(ctx, u, im.ID(), "")
}

func (m *Mover) step(ctx context.Context, u reader.UserID, im *store.Import, a Account) (*store.ImportChunk, error) {
	if a.Client == nil {
		return nil, errMissing
	}
	s := mover{Mover: m, user: u, until: m.Clock.Now().Add(stepTime), cache: map[reader.FeedID]*articles{}}
	before := 0
	for _, c := range im.Done {
		before += c.N
		s.state = state{}
		if err := json.Unmarshal([]byte(c.State), &s.state); err != nil {
			return nil, fault.New(fault.Internal, "bad_import", "movein", err)
		}
	}
	s.percent = before
	from, err := Connect(ctx, a)
	if err != nil {
		return nil, err
	}
	if err = s.run(ctx, from); err == nil {
		s.percent = 100
	} else if errors.Is(err, errEnough) {
		state, err := json.Marshal(s.state)
		if err != nil {
			return nil, err
		}
		s.res.State, s.res.Waiting = string(state), 0 // they are waited for
	} else {
		return nil, err
	}
	s.res.N = s.percent - before
	return &s.res, takeout.PackFailures(&s.res, s.failed)
}
