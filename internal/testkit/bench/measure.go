package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// pass measures operations with so many visitors at once. One that fails is a line of the table, not the end of it.
func (v *server) pass(ctx context.Context, s *serving, list []operation, visitors int) (out []figures, err error) {
	for _, o := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.only != nil && !s.only.MatchString(o.name) {
			out = append(out, figures{})
			if o.then != nil {
				out = append(out, figures{})
			}
			continue
		}
		first, then, err := v.measure(&o, s, visitors)
		f, t := first.figures(), then.figures()
		switch {
		case err != nil && len(first.times) > len(then.times) && o.then != nil:
			t.failed = err.Error()
		case err != nil:
			f.failed = err.Error()
		}
		if out = append(out, f); o.then != nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// measure warms an operation up, checks what it answers, and measures it for a while.
func (v *server) measure(o *operation, s *serving, n int) (sum, then sample, err error) {
	visitors := make([]*visitor, n)
	for i := range visitors {
		if visitors[i], err = newVisitor(v.addr, s.token, i, n); err != nil {
			return sum, then, err
		}
		defer visitors[i].close()
		visitors[i].password = s.password
		if o.before != nil {
			if err := o.before(visitors[i]); err != nil {
				return sum, then, err
			}
		}
	}
	items := 0
	if o.check != nil {
		a, err := visitors[0].do(o.next(visitors[0]), true)
		if err == nil {
			items, err = o.check(a.body)
		}
		if err != nil {
			return sum, then, err
		}
	}
	if o.most == 0 {
		if _, _, err := v.all(o, visitors, 1, s.span/5); err != nil {
			return sum, then, err
		}
	}
	sum, then, err = v.all(o, visitors, leastAsked, s.span)
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
