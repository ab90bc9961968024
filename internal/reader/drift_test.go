package reader

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// drift is a table of subscription rows as it is written on conditions, with a model of plain booleans.
type drift struct {
	t     *testing.T
	rng   *rand.Rand
	step  int
	feeds []*driftFeed
	rows  [driftUsers][]*driftRow
	count [driftUsers][driftDevices]uint32 // of flushes
	sent  []driftFlush                     // of late, to be repeated
	marks []driftMark
	did   map[string]int
}

const (
	driftUsers   = 2
	driftDevices = 2
	driftFeeds   = 6
)

type driftFeed struct{ floor, last Seq }

// driftRow is a subscription: what is stored, and the model of each seq.
type driftRow struct {
	State
	stored                bool
	read, starred, hidden []bool
	labels                [3][]bool
	devices               [driftDevices]uint32
	undo                  *driftUndo
}

// driftUndo is what the last remembered change turned, and what was before.
type driftUndo struct {
	version int64
	turned  map[Seq]bool // what it was
	before  State
}

type driftFlush struct {
	user, device int
	counter      uint32
	ops          map[int][]Op // by feed
}

type driftMark struct {
	user     int
	versions map[int]int64
}

// grow makes room for new items, which are unread.
func (r *driftRow) grow(last Seq) {
	for _, p := range []*[]bool{&r.read, &r.starred, &r.hidden, &r.labels[0], &r.labels[1], &r.labels[2]} {
		for len(*p) <= int(last) {
			*p = append(*p, false)
		}
	}
}

func (d *drift) pick(f *driftFeed) Seq {
	// Mostly what exists, sometimes what is gone or not there yet.
	lo, hi := max(int(f.floor)-3, 0), int(f.last)+2
	return Seq(lo + d.rng.IntN(hi-lo+1))
}

func (d *drift) some(f *driftFeed, most int) []Seq {
	out := make([]Seq, 1+d.rng.IntN(most))
	for i := range out {
		out[i] = d.pick(f)
	}
	return out
}

// apply applies the operations to the model.
func (r *driftRow) apply(f *driftFeed, ops []Op) {
	in := func(seq Seq) bool { return seq > f.floor && seq <= f.last }
	for _, op := range ops {
		if op.Kind == OpReadUpTo || op.Kind == OpReadRange {
			for seq := max(op.From, f.floor+1); seq <= min(op.UpTo, f.last); seq++ {
				r.read[seq] = true
			}
		}
		for _, seq := range op.Seqs {
			switch {
			case op.Kind == OpRead && in(seq):
				r.read[seq] = true
			case op.Kind == OpUnread && in(seq):
				r.read[seq], r.hidden[seq] = false, false
			case op.Kind == OpHide && in(seq):
				r.read[seq], r.hidden[seq] = true, true
			case (op.Kind == OpStar || op.Kind == OpUnstar) && seq > 0 && seq <= f.last:
				r.starred[seq] = op.Kind == OpStar
			case (op.Kind == OpLabel || op.Kind == OpUnlabel) && seq > 0 && seq <= f.last:
				r.labels[op.Label-1][seq] = op.Kind == OpLabel
			}
		}
	}
}

// put stores a state if the row is still of the version that was read.
func (r *driftRow) put(next State, read int64) bool {
	if r.Version != read {
		return false
	}
	r.State = next
	return true
}

// change makes a change as a client of the table does: read, apply, put on the condition, and again. Sometimes
// somebody else comes between.
func (d *drift) change(user, feed int, c Change) {
	r, f := d.rows[user][feed], d.feeds[feed]
	if !r.stored {
		return
	}
	c.Floor, c.Last, c.At = f.floor, f.last, int64(d.step)
	for {
		read := r.State
		next, changed := Apply(read, c)
		if changed && d.rng.IntN(8) == 0 {
			other := Change{Ops: d.ops(f), Floor: f.floor, Last: f.last}
			if theirs, did := Apply(r.State, other); did && r.put(theirs, r.Version) {
				r.apply(f, other.Ops)
				d.did["conflict"]++
			}
		}
		if changed && !r.put(next, read.Version) {
			continue
		}
		d.track(r, f, c, read, changed)
		return
	}
}

// track updates the model after a change.
func (d *drift) track(r *driftRow, f *driftFeed, c Change, read State, changed bool) {
	if c.Device > 0 {
		if c.Counter <= r.devices[c.Device-1] {
			if changed {
				d.t.Fatalf("step %d: flush %d of device %d was applied twice", d.step, c.Counter, c.Device)
			}
			return
		}
		r.devices[c.Device-1] = c.Counter
	}
	was := map[Seq]bool{}
	for seq := f.floor + 1; seq <= f.last; seq++ {
		was[seq] = r.read[seq]
	}
	r.apply(f, c.Ops)
	whole := c.Remember || slices.ContainsFunc(c.Ops, func(op Op) bool { return op.Kind == OpReadUpTo })
	if !whole {
		return
	}
	for seq, before := range was {
		if r.read[seq] == before {
			delete(was, seq)
		}
	}
	if len(was) > 0 {
		r.undo = &driftUndo{version: r.Version, turned: was, before: read}
	}
}

// ops are random changes of a few items.
func (d *drift) ops(f *driftFeed) []Op {
	kinds := [...]OpKind{OpRead, OpRead, OpRead, OpUnread, OpStar, OpUnstar, OpLabel, OpUnlabel}
	out := make([]Op, 1+d.rng.IntN(2))
	for i := range out {
		out[i] = Op{Kind: kinds[d.rng.IntN(len(kinds))], Seqs: d.some(f, 4), Label: LabelID(1 + d.rng.IntN(3))}
	}
	return out
}

// mark marks some feeds at once, so that one token takes it back.
func (d *drift) mark(user int) {
	m := driftMark{user: user, versions: map[int]int64{}}
	from, to := 0, driftFeeds
	if d.rng.IntN(3) > 0 {
		from = d.rng.IntN(driftFeeds)
		to = from + 1
	}
	for i := from; i < to; i++ {
		f, r := d.feeds[i], d.rows[user][i]
		upTo := d.pick(f)
		ops := []Op{{Kind: OpReadUpTo, UpTo: upTo}}
		switch d.rng.IntN(4) {
		case 0:
			// what stands below
			ops = []Op{{Kind: OpReadRange, From: 1, UpTo: upTo}, {Kind: OpRead, Seqs: d.some(f, 6)}}
		case 1:
			ops = []Op{{Kind: OpRead, Seqs: d.some(f, 12)}, {Kind: OpUnread, Seqs: d.some(f, 2)}}
		}
		d.change(user, i, Change{Ops: ops, Remember: true})
		if r.stored && r.Prev.Version > 0 && r.Prev.Version == r.Version {
			m.versions[i] = r.Version
		}
	}
	d.marks = append(d.marks, m)
	if len(d.marks) > 8 {
		d.marks = d.marks[1:]
	}
}

// undo takes a mark of late back in all its feeds.
func (d *drift) undo() {
	if len(d.marks) == 0 {
		return
	}
	m := d.marks[d.rng.IntN(len(d.marks))]
	for i, version := range m.versions {
		r, f := d.rows[m.user][i], d.feeds[i]
		if !r.stored {
			continue
		}
		untouched := r.Version == version
		next, ok := Undo(r.State, version, f.floor)
		if want := r.undo != nil && r.undo.version == version; ok != want {
			d.t.Fatalf("step %d: undo of version %d gives %v, want %v", d.step, version, ok, want)
		}
		if !ok {
			continue
		}
		d.did["undo"]++
		r.put(next, r.Version)
		if b := r.undo.before; untouched && (r.Upto != b.Upto || !bytes.Equal(r.Runs, b.Runs) || r.ReadAt != b.ReadAt) {
			d.t.Fatalf("step %d: undone it is %+v, was %+v", d.step, r.ReadState, b.ReadState)
		}
		for seq, was := range r.undo.turned {
			if seq > f.floor {
				r.read[seq] = was || r.hidden[seq]
			}
		}
		r.undo = nil
	}
}

// flush changes items of some feeds under the device's next number; sometimes it breaks off, or an earlier one is
// repeated, late and out of order.
func (d *drift) flush(user int) {
	device := d.rng.IntN(driftDevices)
	d.count[user][device]++
	fl := driftFlush{user: user, device: device, counter: d.count[user][device], ops: map[int][]Op{}}
	for range 1 + d.rng.IntN(3) {
		i := d.rng.IntN(driftFeeds)
		fl.ops[i] = d.ops(d.feeds[i])
	}
	if d.sent = append(d.sent, fl); len(d.sent) > 12 {
		d.sent = d.sent[1:]
	}
	d.deliver(fl, d.rng.IntN(4) == 0)
}

func (d *drift) deliver(fl driftFlush, breaksOff bool) {
	for i := range driftFeeds { // in order, so that a seed means one course
		if fl.ops[i] == nil {
			continue
		}
		d.change(fl.user, i, Change{Ops: fl.ops[i], Device: uint32(fl.device + 1), Counter: fl.counter})
		if breaksOff {
			return
		}
	}
}

// merge copies the state in one feed to another that takes its place, by a mapping of their items, and ends the
// subscription to the old one.
func (d *drift) merge(user int) {
	a, b := d.rng.IntN(driftFeeds), d.rng.IntN(driftFeeds)
	from, to := d.rows[user][a], d.rows[user][b]
	if a == b || !from.stored || !to.stored {
		return
	}
	m := map[OpKind][]Seq{}
	for seq := d.feeds[a].floor + 1; seq <= d.feeds[a].last; seq++ {
		kind := OpUnread
		if from.IsRead(seq) {
			kind = OpRead
		}
		at := d.pick(d.feeds[b])
		if m[kind] = append(m[kind], at); from.Hid.Has(seq) {
			m[OpHide] = append(m[OpHide], at)
		}
	}
	d.change(user, b,
		Change{Ops: []Op{{Kind: OpRead, Seqs: m[OpRead]}, {Kind: OpUnread, Seqs: m[OpUnread]},
			{Kind: OpHide, Seqs: m[OpHide]}}})
	d.leave(user, a)
}

func (d *drift) leave(user, feed int) {
	d.rows[user][feed] = &driftRow{}
	for _, m := range d.marks {
		if m.user == user {
			delete(m.versions, feed)
		}
	}
}

func (d *drift) subscribe(user, feed int) {
	f := d.feeds[feed]
	r := &driftRow{stored: true, State: State{ReadState: NewReadState(f.last)}}
	r.grow(f.last)
	for seq := Seq(1); seq+UnreadOnSubscribe <= f.last; seq++ {
		r.read[seq] = true
	}
	d.rows[user][feed] = r
}

// one does one thing that can happen.
func (d *drift) one() {
	user, feed := d.rng.IntN(driftUsers), d.rng.IntN(driftFeeds)
	r, f := d.rows[user][feed], d.feeds[feed]
	n := d.rng.IntN(1000)
	switch {
	case n < 400:
		d.did["change"]++
		d.change(user, feed, Change{Ops: d.ops(f)})
	case n < 600:
		d.did["flush"]++
		d.flush(user)
	case n < 700:
		d.did["repeat"]++
		if len(d.sent) > 0 {
			d.deliver(d.sent[d.rng.IntN(len(d.sent))], false)
		}
	case n < 780:
		d.did["mark"]++
		d.mark(user)
	case n < 860:
		d.undo()
	case n < 920:
		d.did["arrival"]++
		f.last += Seq(1 + d.rng.IntN(3))
		for u := range d.rows {
			if d.rows[u][feed].stored {
				d.rows[u][feed].grow(f.last)
			}
		}
		// Retention keeps the feed short: stars and labels outlive it, until they are taken off.
		if f.last > f.floor+70 {
			d.did["floor"]++
			f.floor = f.last - Seq(20+d.rng.IntN(30))
		}
	case n < 970:
		d.did["rules"]++
		d.change(user, feed, Change{Ops: []Op{{Kind: OpHide, Seqs: d.some(f, 5)}}})
	case n < 990:
		d.did["tidy"]++
		var old []Seq
		if r.stored {
			for seq := range r.Stars.All() {
				if seq <= f.floor {
					old = append(old, seq)
				}
			}
		}
		gone := []Op{{Kind: OpUnstar, Seqs: old}}
		for l := LabelID(1); l <= 3 && r.stored; l++ {
			gone = append(gone, Op{Kind: OpUnlabel, Label: l, Seqs: slices.Collect(r.Labels.Of(l).All())})
		}
		d.change(user, feed, Change{Ops: gone})
	case n < 993:
		d.did["merge"]++
		d.merge(user)
	case n < 995:
		d.did["leave"]++
		d.leave(user, feed)
	default:
		if !r.stored {
			d.did["subscribe"]++
			d.subscribe(user, feed)
		}
	}
}

// check compares a row's count with the model, and with whole every bit.
func (d *drift) check(user, feed int, whole bool) {
	r, f := d.rows[user][feed], d.feeds[feed]
	if !r.stored {
		return
	}
	want := 0
	for seq := f.floor + 1; seq <= f.last; seq++ {
		if !r.read[seq] {
			want++
		}
	}
	if got := r.Unread(f.floor, f.last); got != want || r.HasUnread(f.floor, f.last) != (want > 0) {
		d.t.Fatalf("step %d: user %d has %d unread in feed %d, want %d", d.step, user, got, feed, want)
	}
	if !whole {
		return
	}
	if r.Check(f.last) != nil || r.Stars.Check(f.last) != nil || r.Hid.Check(f.last) != nil ||
		r.Labels.Check(f.last) != nil {
		d.t.Fatalf("step %d: not canonical: %+v", d.step, r.State)
	}
	for seq := Seq(1); seq <= f.last; seq++ {
		here := seq > f.floor
		if here && (r.IsRead(seq) != r.read[seq] || r.Hid.Has(seq) != r.hidden[seq] || r.hidden[seq] && !r.read[seq]) ||
			r.Stars.Has(seq) != r.starred[seq] {
			d.t.Fatalf("step %d: user %d, feed %d, item %d: %v %v %v", d.step, user, feed, seq, r.IsRead(seq),
				r.Hid.Has(seq), r.Stars.Has(seq))
		}
		for l := range r.labels {
			if r.Labels.Of(LabelID(l+1)).Has(seq) != r.labels[l][seq] {
				d.t.Fatalf("step %d: label %d of item %d", d.step, l+1, seq)
			}
		}
	}
}

// TestAMillionChangesDoNotDrift does a million things that can happen to what two people have read: marks, arrivals,
// retention, rules, merges of feeds, leaving and coming back, undo over many feeds, two devices each whose flushes
// break off, are repeated and come out of order, and writers that come between. After each, the counts are those of
// a plain model. An edit of an item changes no state, so none is here. (C-1, C-2, G-19, R-92 to R-94)
func TestAMillionChangesDoNotDrift(t *testing.T) {
	t.Parallel()
	steps := 1_000_000
	if testing.Short() {
		steps = 50_000
	}
	d := &drift{t: t, rng: rand.New(rand.NewPCG(20261121, 4)), did: map[string]int{}}
	for range driftFeeds {
		d.feeds = append(d.feeds, &driftFeed{last: Seq(d.rng.IntN(40))})
	}
	for u := range d.rows {
		d.rows[u] = make([]*driftRow, driftFeeds)
		for i := range d.feeds {
			d.subscribe(u, i)
		}
	}
	for d.step = range steps {
		d.one()
		d.check(d.step%driftUsers, d.step/driftUsers%driftFeeds, false)
		if d.step%2000 == 0 || d.step == steps-1 {
			for u := range d.rows {
				for i := range d.feeds {
					d.check(u, i, true)
				}
			}
		}
	}
	for _, what := range []string{"change", "flush", "repeat", "mark", "undo", "arrival", "floor", "rules", "tidy",
		"merge", "leave", "subscribe", "conflict"} {
		if d.did[what] < steps/10_000 {
			t.Errorf("%s happened %d times", what, d.did[what])
		}
	}
	t.Logf("%v", d.did)
}
