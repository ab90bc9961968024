package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/testkit/child"
)

const (
	atOnce     = 16 // visitors of the second pass
	moreStarts = 4  // starts beside those of the rounds
	markedMost = 800
	openedMost = 50 // entries that are opened again and again: as many as a list shows
	freshMost  = 96 // feeds of which an entry is opened for the first time in a pass, whatever the number of visitors
	othersMost = 5  // further entries of each of them
)

// reading is what was measured of one number of feeds.
type reading struct {
	feeds      int
	starts     []time.Duration // from exec to the complete list of feeds
	names      []operation
	one, many  [][]figures // by operation, then by round
	pssOne     []int64
	pssMany    []int64
	firstStart time.Duration
}

// serve measures reading over HTTP, for each number of feeds.
func (b *bench) serve(ctx context.Context, sizes []int) error {
	var all []reading
	for _, n := range sizes {
		r, err := b.reading(ctx, n)
		if err != nil {
			return err
		}
		b.printReading(&r)
		all = append(all, r)
	}
	b.printGrowth(all)
	return nil
}

// reading imports and crawls N feeds, and measures so many rounds over what was crawled. The farm keeps serving: what
// falls due meanwhile is answered.
func (b *bench) reading(ctx context.Context, n int) (r reading, err error) {
	r.feeds = n
	f, err := startFarm(ctx, b.farm, n, farmHosts)
	if err != nil {
		return r, err
	}
	defer f.stop()
	urls, err := f.addresses()
	if err != nil {
		return r, err
	}
	data := filepath.Join(b.work, fmt.Sprintf("read-%d", n))
	if _, err := b.load(ctx, data, urls); err != nil {
		return r, err
	}
	if _, err := b.crawl(ctx, f, data, "first", n, false); err != nil {
		return r, err
	}
	token, _, err := b.command(ctx, data, "token", "create", "--name", "bench")
	if err != nil {
		return r, err
	}
	run := serving{bench: b, data: data, token: strings.TrimSpace(string(token))}
	for i := range b.rounds {
		if err := run.round(ctx, &r, i); err != nil {
			return r, err
		}
	}
	for range moreStarts {
		s, err := run.start(&r)
		if err != nil {
			return r, err
		}
		s.stop()
	}
	return r, nil
}

// serving is a data folder that is served again and again.
type serving struct {
	*bench
	data, token string
}

// server is a running reader.
type server struct {
	cmd   *exec.Cmd
	ended <-chan struct{}
	addr  string
	log   *strings.Builder
	list  []byte // the first answer
}

// start runs the reader until it has answered with the list of feeds, and records how long that took.
func (s *serving) start(r *reading) (*server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	v := &server{addr: l.Addr().String(), log: new(strings.Builder)}
	_ = l.Close()
	v.cmd = exec.Command(s.ruri, "serve", "--addr", v.addr)
	v.cmd.Env = append(environment(s.data), "RURI_RATE_USER=0", "RURI_RATE_ADDRESS=0")
	v.cmd.Stderr = v.log
	began := time.Now()
	if v.ended, err = child.Start(v.cmd); err != nil {
		return nil, err
	}
	one, err := v.connect(s.token)
	if err != nil {
		v.stop()
		return nil, fmt.Errorf("ruri serve: %w\n%s", err, v.log)
	}
	defer one.close()
	a, err := one.do(ask{method: "GET", path: "/api/feeds"}, true)
	if took := time.Since(began); r.firstStart == 0 {
		r.firstStart = took // the queue may still hold what the import left there
	} else {
		r.starts = append(r.starts, took)
	}
	if v.list = a.body; err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("the list of feeds answered %d: %.200s", a.status, a.body)
	}
	if err != nil {
		v.stop()
	}
	return v, err
}

// connect waits for the server to listen.
func (v *server) connect(token string) (one *visitor, err error) {
	for range 20_000 {
		if one, err = newVisitor(v.addr, token, 0, 1); err == nil {
			return one, nil
		}
		select {
		case <-v.ended:
			return nil, errors.New("it ended")
		case <-time.After(500 * time.Microsecond):
		}
	}
	return nil, err
}

// stop asks the server to end, as an operator does: what a killed one leaves to be repaired is no part of a start.
func (v *server) stop() {
	child.Signal(v.cmd, syscall.SIGTERM)
	select {
	case <-v.ended:
	case <-time.After(20 * time.Second):
		child.Kill(v.cmd)
		<-v.ended
	}
}

// rest waits until the server has done what it does after a start.
func (v *server) rest() {
	const look, calm = 200 * time.Millisecond, 10 * time.Millisecond
	for before := threadsCPU(v.cmd.Process.Pid); ; {
		time.Sleep(look)
		now := threadsCPU(v.cmd.Process.Pid)
		if now-before < calm {
			return
		}
		before = now
	}
}

// round starts the reader, measures one visitor and then 16 at once, and ends it.
func (s *serving) round(ctx context.Context, r *reading, i int) error {
	v, err := s.start(r)
	if err != nil {
		return err
	}
	defer v.stop()
	v.rest()
	lib, err := s.library(v, i)
	if err != nil {
		return err
	}
	one, err := v.pass(ctx, s, lib, 1)
	if err != nil {
		return err
	}
	r.pssOne = append(r.pssOne, pss(v.cmd.Process.Pid))
	lib.fresh = lib.later
	many, err := v.pass(ctx, s, lib, atOnce)
	if err != nil {
		return err
	}
	r.pssMany = append(r.pssMany, pss(v.cmd.Process.Pid))
	r.names = nil
	for _, o := range lib.operations(1) {
		if r.names = append(r.names, o); o.then != nil {
			r.names = append(r.names, *o.then)
		}
	}
	r.one, r.many = append(r.one, one), append(r.many, many)
	return nil
}

// library looks for what is asked for: entries of different feeds, other ones in each round to be opened first.
func (s *serving) library(v *server, round int) (*library, error) {
	a, unread, err := decodeFeeds(v.list)
	if err != nil {
		return nil, err
	}
	l := &library{unread: unread}
	for _, f := range a.Feeds {
		l.feeds = append(l.feeds, f.ID)
	}
	n := len(l.feeds)
	fresh := min(freshMost, n/(2*s.rounds+1)/atOnce*atOnce)
	if fresh == 0 {
		return nil, fmt.Errorf("%d rounds take at least %d feeds, since each opens others for the first time", s.rounds, (2*s.rounds+1)*atOnce)
	}
	one, err := newVisitor(v.addr, s.token, 0, 1)
	if err != nil {
		return nil, err
	}
	defer one.close()
	for i := range min(n, markedMost) {
		list, err := one.newestOf(l.feeds[i], 1)
		if err != nil {
			return nil, err
		}
		l.marked = append(l.marked, list[0])
		if i < min(openedMost, n-2*s.rounds*fresh) {
			l.opened = append(l.opened, list[0].id)
		}
	}
	// The last feeds are those to be opened first: each round has its own.
	for i := range 2 * fresh {
		list, err := one.newestOf(l.feeds[n-2*(round+1)*fresh+i], 1+othersMost)
		if err != nil {
			return nil, err
		}
		l.fresh = append(l.fresh, each(list, func(e entry) string { return e.id }))
	}
	l.fresh, l.later = l.fresh[:fresh], l.fresh[fresh:]
	return l, nil
}

// newestOf gives a feed's newest entries; of a feed with few it repeats them.
func (v *visitor) newestOf(feed string, n int) (list []entry, err error) {
	a, err := v.do(ask{method: "GET", path: fmt.Sprintf("/api/feeds/%s/items?limit=%d", feed, n)}, true)
	if err != nil {
		return nil, err
	}
	var page struct {
		Items []struct {
			ID     string
			IsRead bool
		}
	}
	if err := json.Unmarshal(a.body, &page); err != nil || len(page.Items) == 0 {
		return nil, fmt.Errorf("feed %s has no items: %d %.200s", feed, a.status, a.body)
	}
	for i := range n {
		it := page.Items[i%len(page.Items)]
		list = append(list, entry{it.ID, it.IsRead})
	}
	return list, nil
}

// pass measures every operation with so many visitors at once.
func (v *server) pass(ctx context.Context, s *serving, l *library, visitors int) (out []figures, err error) {
	var all []*visitor
	defer func() {
		for _, x := range all {
			x.close()
		}
	}()
	for i := range visitors {
		x, err := newVisitor(v.addr, s.token, i, visitors)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	for _, o := range l.operations(visitors) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var first, then sample
		if visitors == 1 || !o.alone {
			if first, then, err = v.measure(&o, all, s.span); err != nil {
				return nil, fmt.Errorf("%s, %d at once: %w\n%s", o.name, visitors, err, v.log)
			}
		}
		out = append(out, first.figures())
		if o.then != nil {
			out = append(out, then.figures())
		}
	}
	return out, nil
}

// measure warms an operation up, checks what it answers, and measures it for a while.
func (v *server) measure(o *operation, visitors []*visitor, span time.Duration) (sum, then sample, err error) {
	for _, x := range visitors {
		x.made = 0
		if o.before != nil {
			if err := o.before(x); err != nil {
				return sum, then, err
			}
		}
	}
	if o.check != nil {
		a, err := visitors[0].do(o.next(visitors[0]), true)
		if err == nil {
			sum.items, err = o.check(a.body)
		}
		if err != nil {
			return sum, then, err
		}
	}
	if o.most == 0 {
		if _, _, err := v.all(o, visitors, 1, span/5); err != nil {
			return sum, then, err
		}
	}
	items := sum.items
	sum, then, err = v.all(o, visitors, leastAsked, span)
	sum.items = items
	return sum, then, err
}

// all lets all visitors make requests for so long, and so many at least.
func (v *server) all(o *operation, visitors []*visitor, least int, span time.Duration) (sum, then sample, err error) {
	sums, thens := make([]sample, len(visitors)), make([]sample, len(visitors))
	cpu, began := threadsCPU(v.cmd.Process.Pid), time.Now()
	var g errgroup.Group
	for i, x := range visitors {
		g.Go(func() error { return v.one(o, x, &sums[i], &thens[i], least, began.Add(span)) })
	}
	err = g.Wait()
	sum.span, sum.cpu = time.Since(began), threadsCPU(v.cmd.Process.Pid)-cpu
	for i := range sums {
		sum.add(&sums[i])
		then.add(&thens[i])
	}
	sum.cpu -= then.cpu // of two that take turns, what the second cost was measured one by one
	if err == nil && 2*sum.missed > len(sum.times) {
		err = fmt.Errorf("%d of %d answers were not 304", sum.missed, len(sum.times))
	}
	return sum, then, err
}

const leastAsked = 3 // requests of a visitor, however long they take

// one makes a visitor's requests until the time is up.
func (v *server) one(o *operation, x *visitor, sum, then *sample, least int, until time.Time) error {
	for n := 0; o.most == 0 && (n < least || time.Now().Before(until)) || n < o.most; n++ {
		if err := x.once(o, sum); err != nil {
			return err
		}
		if o.then != nil {
			cpu := threadsCPU(v.cmd.Process.Pid)
			if err := x.once(o.then, then); err != nil {
				return err
			}
			then.cpu += threadsCPU(v.cmd.Process.Pid) - cpu
		}
		x.made++
	}
	return nil
}

func (v *visitor) once(o *operation, s *sample) error {
	q := o.next(v)
	began := time.Now()
	a, err := v.do(q, o.seen != nil)
	if err != nil {
		return err
	}
	s.times = append(s.times, time.Since(began))
	s.bytes += a.size
	switch want := cmp.Or(o.status, http.StatusOK); {
	case a.status == want:
	case a.status == http.StatusOK && want == http.StatusNotModified:
		v.tag = a.tag // the list has times in it, which move
		s.missed++
	default:
		return fmt.Errorf("%s %.200s answered %d, not %d: %.300s", q.method, q.path, a.status, want, a.body)
	}
	if o.seen != nil {
		return o.seen(v, a)
	}
	return nil
}

func (s *sample) add(o *sample) {
	s.times = append(s.times, o.times...)
	s.bytes += o.bytes
	s.missed += o.missed
	s.cpu += o.cpu
}
