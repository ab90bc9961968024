package faults

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// Kind is one kind of fault.
type Kind string

// The kinds. "Done" means that the operation took effect before its answer was lost.
const (
	CrashBefore  Kind = "crash before"
	CrashAfter   Kind = "crash after"
	Throttled    Kind = "throttled"
	ServerError  Kind = "500"
	TimeoutUndo  Kind = "time-out, not done"
	TimeoutDone  Kind = "time-out, done"
	ConflictDone Kind = "done, reported as conflict"
	Slow         Kind = "slow"
	// While a process is stuck the others do what is due, for half a minute or twenty. Storms have none of these.
	Stuck        Kind = "stuck"
	StuckDead    Kind = "stuck, and died"
	StuckLong    Kind = "stuck for long"
	Stale        Kind = "stale read"
	ShortPage    Kind = "short page"
	Unprocessed  Kind = "unprocessed keys"
	PartialSend  Kind = "part of a batch"
	Duplicated   Kind = "duplicated"
	Reordered    Kind = "reordered"
	Delayed      Kind = "delayed"
	LostAck      Kind = "lost ack"
	PartialBatch Kind = "failing neighbour in a batch"
	Poison       Kind = "poison"
	Skew         Kind = "clock skew"
	ColdStorm    Kind = "cold storm"
	Interleaved  Kind = "meanwhile another"
	// Of publishers.
	Reset      Kind = "connection reset"
	Refused    Kind = "429 or 503"
	Garbage    Kind = "a page for a feed"
	Truncated  Kind = "cut-off body"
	OldAnswer  Kind = "an older answer"
	MidChange  Kind = "changed mid-way"
	MixedPair  Kind = "new validator, old body"
	LostAnswer Kind = "answer lost"
)

// Kinds are those of a storm; a small storm may have none of Rare.
var (
	Kinds = []Kind{
		CrashBefore, CrashAfter, Throttled, ServerError, TimeoutUndo, TimeoutDone, ConflictDone, Slow, Stale,
		ShortPage, Unprocessed,
		PartialSend, Duplicated, Reordered, Delayed, LostAck, PartialBatch, Poison, Skew, ColdStorm, Interleaved, Reset,
		Refused, Garbage,
		Truncated, OldAnswer, MidChange, MixedPair, LostAnswer,
	}
	Rare = []Kind{
		ConflictDone, Unprocessed, PartialSend, LostAck, Reset, Refused, Garbage, Truncated, OldAnswer, MidChange,
		MixedPair, ColdStorm,
	}
)

// Tally counts faults by step and kind. It is safe for concurrent use.
type Tally struct {
	mu sync.Mutex
	n  map[string]map[Kind]int
}

// NewTally returns an empty one.
func NewTally() *Tally { return &Tally{n: map[string]map[Kind]int{}} }

// Add counts one fault.
func (t *Tally) Add(step string, k Kind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n[step] == nil {
		t.n[step] = map[Kind]int{}
	}
	t.n[step][k]++
}

// Total returns the number of injected faults.
func (t *Tally) Total() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, kinds := range t.n {
		for k, c := range kinds {
			if k != Interleaved { // not a fault
				n += c
			}
		}
	}
	return n
}

// Of returns the number of faults of a kind.
func (t *Tally) Of(k Kind) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, kinds := range t.n {
		n += kinds[k]
	}
	return n
}

// Steps returns the steps that had faults.
func (t *Tally) Steps() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.n))
}

// String returns two tables: the number of faults by kind, and by step and kind.
func (t *Tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	byKind := map[Kind]int{}
	total := 0
	for _, kinds := range t.n {
		for k, c := range kinds {
			byKind[k] += c
			if k != Interleaved {
				total += c
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d faults\n\n%-30s %7s\n", total, "kind", "faults")
	kinds := slices.SortedFunc(maps.Keys(byKind), func(a, c Kind) int {
		return cmp.Or(cmp.Compare(byKind[c], byKind[a]), cmp.Compare(a, c))
	})
	for _, k := range kinds {
		fmt.Fprintf(&b, "%-30s %7d\n", k, byKind[k])
	}
	fmt.Fprintf(&b, "\n%-44s %7s  %s\n", "step", "faults", "kinds")
	for _, step := range slices.Sorted(maps.Keys(t.n)) {
		sum := 0
		var parts []string
		for _, k := range kinds {
			if c := t.n[step][k]; c > 0 {
				sum += c
				parts = append(parts, fmt.Sprintf("%s %d", k, c))
			}
		}
		fmt.Fprintf(&b, "%-44s %7d  %s\n", step, sum, strings.Join(parts, ", "))
	}
	return b.String()
}

// Plan selects the faults: at random with a rate, or one at one step.
type Plan struct {
	// Rate is the chance of a fault at each step.
	Rate float64
	// At is the step of a single fault of Kind, counted from 1 among the steps at which the kind is possible.
	At   int
	Kind Kind
}

// injector chooses the fault of each step. All its random numbers come from one seed.
type injector struct {
	plan  Plan
	rnd   *rand.Rand
	tally *Tally
	off   bool
	spare bool // no faults for a message on its last receives: no service fails that often
	n     int  // steps at which Kind was possible
}

// draw returns the fault of a step, "" for none.
func (in *injector) draw(step string, possible ...Kind) Kind {
	if in.off || in.spare {
		return ""
	}
	if in.plan.At > 0 {
		if !slices.Contains(possible, in.plan.Kind) {
			return ""
		}
		if in.n++; in.n != in.plan.At {
			return ""
		}
		in.tally.Add(step, in.plan.Kind)
		return in.plan.Kind
	}
	if in.plan.Rate <= 0 || in.rnd.Float64() >= in.plan.Rate {
		return ""
	}
	k := possible[in.rnd.IntN(len(possible))]
	in.tally.Add(step, k)
	return k
}

// chance reports whether a fault of the whole installation happens.
func (in *injector) chance(p float64) bool {
	return !in.off && !in.spare && in.plan.At == 0 && in.plan.Rate > 0 && in.rnd.Float64() < p
}
