package faults

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// errDead is the error of every operation of a dead process: nothing that it does reaches a store any more.
var errDead = fault.New(fault.Unavailable, "closed", "faults: the process died", nil)

const serverError = "server_error"

func unavailable(k Kind) error {
	code := "timed_out"
	if k == ServerError {
		code = serverError
	}
	return fault.New(fault.Unavailable, code, "faults: "+string(k), nil)
}

func throttled() error { return fault.New(fault.RateLimited, "throttled", "faults", nil) }

// step is one call of a process to a driver: something else may run before it, the process may die before or after it,
// and the service may refuse, fail, or take effect and report something else.
func (p *process) step(name string, possible []Kind, do func(Kind) error) error {
	if p.dead {
		return errDead
	}
	w := p.w
	w.meanwhile(p)
	if p.dead {
		return errDead
	}
	if strings.HasPrefix(string(w.inj.plan.Kind), string(Stuck)) {
		possible = []Kind{w.inj.plan.Kind}
	}
	k := w.inj.draw(w.role+": "+name, possible...)
	switch k {
	case CrashBefore:
		p.kill()
		return errDead
	case Throttled:
		return throttled()
	case ServerError, TimeoutUndo:
		return unavailable(k)
	case Slow:
		w.Advance(time.Duration(1+w.inj.rnd.IntN(40)) * time.Second)
	case Stuck, StuckDead, StuckLong:
		w.others(k)
	}
	err := do(k)
	switch k {
	case CrashAfter, StuckDead:
		p.kill()
		return errDead
	case TimeoutDone:
		if err == nil {
			return unavailable(k)
		}
	}
	return err
}

// others work while a process is stuck.
func (w *Installation) others(k Kind) {
	role := w.role
	w.depth++
	defer func() { w.depth, w.role = w.depth-1, role }()
	for i := range 20 {
		w.deliver(3)
		if k != StuckLong {
			w.Advance(15 * time.Second)
			w.deliver(3)
			return
		}
		w.Advance(time.Minute)
		if i == 10 {
			w.tick(w.Clock.Now())
		}
	}
}

var (
	readKinds  = []Kind{CrashBefore, CrashAfter, Throttled, ServerError, TimeoutUndo, Slow}
	writeKinds = append([]Kind{TimeoutDone, TimeoutDone}, readKinds...)
	condKinds  = append([]Kind{ConflictDone}, writeKinds...)
)

// tables is the table driver of one process.
type tables struct {
	table.Driver
	p *process
}

func (d tables) do(op string, k table.Key, possible []Kind, f func() error) error {
	return d.played(op, k, possible, func(Kind) error { return f() })
}

func (d tables) played(op string, k table.Key, possible []Kind, f func(Kind) error) error {
	kind := store.Kind(k)
	if d.p.hopeless && kind == "lease" {
		return fault.New(fault.Unavailable, "hopeless", "faults: this message always fails", nil)
	}
	return d.p.step(op+" "+kind, possible, f)
}

// write is do for writes. A conditional write that took effect may be reported as a failed condition, as after an SDK's
// retry of a lost answer.
func (d tables) write(op string, k table.Key, conds []table.Cond, f func() error) error {
	if len(conds) == 0 {
		return d.do(op, k, writeKinds, f)
	}
	return d.played(op, k, condKinds, func(played Kind) error {
		err := f()
		if err == nil && played == ConflictDone {
			return table.Failed(k)
		}
		return err
	})
}

func (d tables) Get(ctx context.Context, k table.Key, c bool) (row table.Row, ok bool, u table.Usage, err error) {
	err = d.do("get", k, readKinds, func() (err error) { row, ok, u, err = d.Driver.Get(ctx, k, c); return err })
	return row, ok && err == nil, u, err
}

func (d tables) BatchGet(ctx context.Context, keys []table.Key, c bool) (rows []table.Row, rest []table.Key,
	u table.Usage, err error) {
	err = d.do("batch get", keys[0], readKinds, func() (err error) {
		rows, rest, u, err = d.Driver.BatchGet(ctx, keys, c)
		return err
	})
	if err != nil {
		return nil, nil, u, err
	}
	return rows, rest, u, nil
}

func (d tables) Query(ctx context.Context, r table.Range) (rows table.Rows, u table.Usage, err error) {
	from, _ := r.Bounds()
	err = d.do("query", table.Key{PK: r.PK, SK: from}, readKinds, func() (err error) {
		rows, u, err = d.Driver.Query(ctx, r)
		return err
	})
	if err != nil {
		return table.Rows{}, u, err
	}
	return rows, u, nil
}

func (d tables) Write(ctx context.Context, o table.WriteOp) (row table.Row, ok bool, u table.Usage, err error) {
	err = d.write(string(o.Kind), o.Key, o.Conds, func() (err error) {
		op := string(o.Kind)
		if o.Kind == table.OpPut && len(o.Conds) > 1 {
			op = "replace"
		}
		if d.p.w.sabotaged(op, o.Key, o.Set) {
			if o.Kind == table.OpUpdate {
				row, ok, u, err = d.Driver.Get(ctx, o.Key, true)
			}
			return err
		}
		row, ok, u, err = d.Driver.Write(ctx, o)
		if err == nil && o.Kind == table.OpPut && d.p.w.o.Double != nil {
			d.p.w.o.Double(ctx, d.p.w.Mem, o.Row)
		}
		return err
	})
	return row, ok && err == nil, u, err
}

func (d tables) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key, now int64) (restPuts []table.Row,
	restDeletes []table.Key, u table.Usage, err error) {
	k := table.Key{}
	if len(puts) > 0 {
		k = puts[0].Key
	} else if len(deletes) > 0 {
		k = deletes[0]
	}
	err = d.do("batch write", k, writeKinds, func() (err error) {
		restPuts, restDeletes, u, err = d.Driver.BatchWrite(ctx, puts, deletes, now)
		return err
	})
	if err != nil {
		return nil, nil, u, err
	}
	return restPuts, restDeletes, u, nil
}

// sabotaged reports whether a write is skipped although it reports success. It stands for a bug of the program, so it
// works without faults too.
func (w *Installation) sabotaged(op string, k table.Key, set []table.Assign) bool {
	return w.o.Sabotage != nil && w.o.Sabotage(op, k, set)
}

// logged is tables over the engine of a single machine, whose reads are always consistent.
type logged struct {
	tables
	table.Logger
}

// blobs is the blob driver of one process.
type blobs struct {
	blob.Driver
	p *process
}

// folder returns the kind of a blob.
func folder(key string) string {
	name, _, _ := strings.Cut(key, "/")
	return "blob " + name
}

func (b blobs) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (created bool, err error) {
	err = b.p.step("put "+folder(key), writeKinds, func(Kind) (err error) {
		if b.p.w.sabotaged("blob put", table.Key{PK: key}, nil) {
			created = true
			return nil
		}
		created, err = b.Driver.Put(ctx, key, body, m, ifAbsent)
		return err
	})
	return created && err == nil, err
}

func (b blobs) Get(ctx context.Context, key string, max int64) (body []byte, m blob.Meta, err error) {
	err = b.p.step("get "+folder(key), readKinds, func(Kind) (err error) {
		body, m, err = b.Driver.Get(ctx, key, max)
		return err
	})
	return body, m, err
}

func (b blobs) GetRange(ctx context.Context, key string, offset, n int64) (part []byte, err error) {
	err = b.p.step("get range "+folder(key), readKinds, func(Kind) (err error) {
		part, err = b.Driver.GetRange(ctx, key, offset, n)
		return err
	})
	return part, err
}

func (b blobs) Stat(ctx context.Context, key string) (m blob.Meta, err error) {
	err = b.p.step("stat "+folder(key), readKinds, func(Kind) (err error) {
		m, err = b.Driver.Stat(ctx, key)
		return err
	})
	return m, err
}

func (b blobs) Delete(ctx context.Context, key string) error {
	return b.p.step("delete "+folder(key), writeKinds, func(Kind) error {
		if b.p.w.sabotaged("blob delete", table.Key{PK: key}, nil) {
			return nil
		}
		return b.Driver.Delete(ctx, key)
	})
}

func (b blobs) List(ctx context.Context, prefix, after string, limit int) (page []blob.Object, more bool, err error) {
	err = b.p.step("list "+folder(prefix), readKinds, func(Kind) (err error) {
		if b.p.w.inj.chance(0.2) {
			limit = 1 + b.p.w.inj.rnd.IntN(3)
			b.p.w.inj.tally.Add(b.p.w.role+": list "+folder(prefix), ShortPage)
		}
		page, more, err = b.Driver.List(ctx, prefix, after, limit)
		return err
	})
	return page, more, err
}

// queues is the queue driver of one process.
type queues struct {
	*memQueue
	p *process
}

func (q queues) Send(ctx context.Context, bodies [][]byte, delay time.Duration) (again []int, err error) {
	err = q.p.step("send", append([]Kind{PartialSend}, writeKinds...), func(k Kind) (err error) {
		if q.p.w.sabotaged("send", table.Key{PK: string(bodies[0])}, nil) {
			return nil
		}
		if k == PartialSend {
			for i, b := range bodies {
				if i%2 == 0 {
					again = append(again, i)
					continue
				}
				if _, err := q.memQueue.Send(ctx, [][]byte{b}, delay); err != nil {
					return err
				}
			}
			return nil
		}
		again, err = q.memQueue.Send(ctx, bodies, delay)
		return err
	})
	return again, err
}

func (q queues) Ack(ctx context.Context, d queue.Delivery) error {
	return q.p.step("ack", append([]Kind{LostAck, LostAck}, writeKinds...), func(k Kind) error {
		if k == LostAck {
			return nil
		}
		return q.memQueue.Ack(ctx, d)
	})
}

func (q queues) Release(ctx context.Context, d queue.Delivery, after time.Duration) error {
	return q.p.step("release", writeKinds, func(Kind) error { return q.memQueue.Release(ctx, d, after) })
}

func (q queues) Bury(ctx context.Context, d queue.Delivery, reason string) error {
	return q.p.step("bury", writeKinds, func(Kind) error {
		if q.p.w.sabotaged("bury", table.Key{}, nil) {
			return q.memQueue.Ack(ctx, d)
		}
		return q.memQueue.Bury(ctx, d, reason)
	})
}

// visitor is the HTTP client of one process, with the publishers' faults.
type visitor struct {
	fetch.Fetcher
	p *process
}

var webKinds = []Kind{
	CrashBefore, CrashAfter, TimeoutUndo, Reset, ServerError, Refused, Garbage, Truncated, OldAnswer, MidChange,
	MixedPair, Slow,
}

var postKinds = []Kind{CrashBefore, CrashAfter, TimeoutUndo, TimeoutDone, ServerError, Refused, Slow}

// Do implements fetch.Fetcher.
func (v visitor) Do(ctx context.Context, r fetch.Request) (resp *fetch.Response, err error) {
	w := v.p.w
	method, possible := "get", webKinds
	if r.Post != nil {
		method, possible = "post", postKinds
	}
	stepErr := v.p.step("http "+method, possible, func(k Kind) error {
		s := w.Web.Of(r.URL)
		if s == nil && k != Refused {
			k = ""
		}
		switch k {
		case Reset:
			err = &fetch.Error{Code: fetch.CodeConnectionReset}
			return nil
		case Refused:
			resp = &fetch.Response{Status: []int{429, 503}[w.inj.rnd.IntN(2)],
				RetryAfter: time.Duration(w.inj.rnd.IntN(30)) * time.Minute}
			return nil
		case Garbage:
			resp = &fetch.Response{Status: 200, Body: []byte("<!doctype html><title>Down</title><p>Back soon."),
				ContentType: "text/html", FinalURL: r.URL}
			return nil
		case OldAnswer:
			if old := w.older[r.URL]; old != nil {
				resp = &fetch.Response{Status: 200, ETag: old.etag, Body: bytes.Clone(old.body),
					ContentType: "application/rss+xml", FinalURL: r.URL}
				if r.ETag == old.etag {
					resp.Status, resp.NotModified, resp.Body = 304, true, nil
				}
				return nil
			}
		}
		if r.Post != nil {
			resp, err = w.takes(r)
			return nil
		}
		if resp, err = v.Fetcher.Do(ctx, r); err != nil {
			return nil //nolint:nilerr // the publisher's failure, returned below
		}
		switch k {
		case Truncated:
			resp.Body, resp.Truncated = resp.Body[:len(resp.Body)/2], resp.Status == 200
		case MidChange, MixedPair:
			w.publish(s, 1)
			if k == MixedPair && resp.Status == 200 {
				resp.ETag = s.ETag()
			}
		}
		return nil
	})
	switch {
	case v.p.dead:
		return nil, errDead
	case stepErr != nil && fault.CodeOf(stepErr) == serverError:
		return &fetch.Response{Status: 500}, nil
	case stepErr != nil:
		return nil, &fetch.Error{Code: fetch.CodeTimeout}
	}
	return resp, err
}
