package watch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// formJSON is the first byte of a stored form: JSON, deflated as a whole. The forms of old.go have lower numbers.
const formJSON = 3

const (
	// maxPlain bounds what stored bytes inflate to.
	maxPlain = 4 << 20
	// maxResults bounds the results of a base or group: the listed ones, as many former ones, and a reserve.
	maxResults = 3 * maxLive
	// maxTime and maxAmount bound numbers, so that sums and products of them do not overflow.
	maxTime   = 1 << 40 // seconds
	maxAmount = 1 << 53
)

var errFormat = errors.New("watch: not a stored form that this version knows")

// pack returns the stored form of a value, and how long its JSON is.
func pack(v any) (b []byte, plain int) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	return reader.Deflate([]byte{formJSON}, text), len(text)
}

// stored is a stored form. It is checked once it is decoded, because archives come from anywhere.
type stored interface{ isValid() bool }

// unpack decodes what pack returned, or what older versions did.
func unpack[T stored](b []byte, v T, old func(*oldDecoder, T)) error {
	var err error
	switch {
	case len(b) > 1 && b[0] == formJSON:
		err = reader.UnpackJSON(b[1:], maxPlain, v)
	default:
		err = decodeOld(b, func(d *oldDecoder) { old(d, v) })
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errFormat, err)
	}
	if !v.isValid() {
		return errFormat
	}
	return nil
}

func areTimes(list ...int64) bool {
	return !slices.ContainsFunc(list, func(t int64) bool { return t > maxTime || t < -maxTime })
}

func areAmounts(list ...int64) bool {
	return !slices.ContainsFunc(list, func(n int64) bool { return n > maxAmount || n < -1 })
}

func areTicks(list ...schedule.Tick) bool {
	return !slices.ContainsFunc(list, func(t schedule.Tick) bool { return t > 1<<30 || t < schedule.NoTick })
}

func (k EventKind) isKnown() bool { return slices.Contains(EventKinds(), k) }

const keyBits = 48

// MarshalText writes the key as the API does.
func (k Key) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(k), 16), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, keyBits)
	*k = Key(n)
	return err
}

// The stored names of statuses and sources.
var (
	statusNames = []string{"", "onSale", "sold", "gone", "removed", "moved"}
	sourceNames = []string{"", "list", "detail", "interval"}
)

// MarshalText writes a name.
func (s Status) MarshalText() ([]byte, error) { return []byte(statusNames[s]), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Status) UnmarshalText(b []byte) (err error) {
	*s, err = named[Status](statusNames, b)
	return err
}

// MarshalText writes a name.
func (s Source) MarshalText() ([]byte, error) { return []byte(sourceNames[s]), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Source) UnmarshalText(b []byte) (err error) {
	*s, err = named[Source](sourceNames, b)
	return err
}

func named[T Status | Source](names []string, b []byte) (T, error) {
	i := slices.Index(names, string(b))
	if i <= 0 {
		return 0, errFormat
	}
	return T(i), nil
}

func (r *Result) isValid() bool {
	return r.Status != 0 && r.Source != 0 && r.Seq <= reader.MaxSeq && areAmounts(r.Price, r.Lowest) &&
		r.Doubted >= 0 && r.Doubted <= maxAmount && areTimes(r.FirstSeen, r.Since, r.Priced, r.Missing, r.Checked) &&
		r.Misses >= 0 && r.Misses <= enoughMisses && r.Checks >= 0 && r.Checks <= maxChecks
}

func (l *looks) isValid() bool {
	for _, sizes := range [][]int{l.Pages, l.Fulls} {
		if len(sizes) > maxSizes || slices.ContainsFunc(sizes, func(n int) bool { return n < 0 || n > 1<<20 }) {
			return false
		}
	}
	for _, p := range []suspects{l.Page, l.Full} {
		if p.N < 0 || p.N > enoughSuspects {
			return false
		}
	}
	return areTicks(l.Missed, l.Page.Tick, l.Full.Tick)
}

// storedState is the stored form of a State.
type storedState struct {
	Folded  schedule.Tick `json:"folded"`
	Seq     reader.Seq    `json:"seq"`
	Looks   looks         `json:"looks"`
	Results []Result      `json:"results"`
}

func (x *storedState) isValid() bool {
	return areTicks(x.Folded) && x.Seq <= reader.MaxSeq && x.Looks.isValid() && len(x.Results) <= maxResults &&
		!slices.ContainsFunc(x.Results, func(r Result) bool { return !r.isValid() })
}

// Encode returns the stored form of a base: live results, tombstones of 30 days, sizes of the last full looks, and the
// changes applied since.
func (s *State) Encode() []byte {
	b, _ := pack(&storedState{s.folded, s.seq, s.looks, s.sorted()})
	return b
}

// sorted returns the results in the order of the stored form: those next to each other have close times and seqs.
func (s *State) sorted() []Result {
	results := make([]Result, 0, len(s.results))
	for _, r := range s.results {
		results = append(results, r)
	}
	slices.SortFunc(results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.FirstSeen, b.FirstSeen), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Key, b.Key))
	})
	return results
}

// DecodeState reads what Encode returned.
func DecodeState(b []byte) (*State, error) {
	var x storedState
	if err := unpack(b, &x, (*oldDecoder).state); err != nil {
		return nil, err
	}
	s := NewState()
	s.folded, s.seq, s.looks = x.Folded, x.Seq, x.Looks
	for _, r := range x.Results {
		if _, isTwice := s.results[r.Key]; isTwice {
			return nil, errFormat
		}
		s.results[r.Key] = r
	}
	return s, nil
}

// storedChanges is the stored form of a group of changes.
type storedChanges struct {
	Tick    schedule.Tick `json:"tick"`
	At      int64         `json:"at"`
	Looks   *looks        `json:"looks,omitempty"`
	Entries []entry       `json:"entries,omitempty"`
}

func (x *storedChanges) isValid() bool {
	return areTicks(x.Tick) && areTimes(x.At/1000) && (x.Looks == nil || x.Looks.isValid()) &&
		len(x.Entries) <= maxResults && !slices.ContainsFunc(x.Entries, func(e entry) bool {
		return !e.isValid() || e.Event != "" && !e.Event.isKnown() || e.EventSeq > reader.MaxSeq
	})
}

// Encode returns the stored form of a group.
func (c *Changes) Encode() []byte {
	b, _ := pack(&storedChanges{c.Tick, c.At, c.looks, c.entries})
	return b
}

// DecodeChanges reads what Encode returned.
func DecodeChanges(b []byte) (*Changes, error) {
	var x storedChanges
	if err := unpack(b, &x, (*oldDecoder).changes); err != nil {
		return nil, err
	}
	return &Changes{Tick: x.Tick, At: x.At, entries: x.Entries, looks: x.Looks, size: len(b)}, nil
}
