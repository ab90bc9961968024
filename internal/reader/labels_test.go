package reader

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLabelSetsAgainstAMap compares the packed labels with a plain map of sets. (issue 4, labels on items)
func TestLabelSetsAgainstAMap(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(41, 42))
	var l LabelSets
	plain := map[LabelID]map[Seq]bool{}
	for i := range 4000 {
		n, seq := LabelID(1+rng.IntN(12))*800, Seq(1+rng.IntN(60))
		if rng.IntN(2) == 0 {
			l = l.With(n, l.Of(n).Add(seq))
			if plain[n] == nil {
				plain[n] = map[Seq]bool{}
			}
			plain[n][seq] = true
		} else {
			l = l.With(n, l.Of(n).Remove(seq))
			delete(plain[n], seq)
		}
		if i%50 > 0 {
			continue
		}
		if err := l.Check(60); err != nil {
			t.Fatalf("step %d: %v in %x", i, err, []byte(l))
		}
		last := LabelID(0)
		for n, set := range l.All() {
			if n <= last {
				t.Fatalf("label %d comes after %d", n, last)
			}
			last = n
			if got, want := slices.Collect(set.All()), slices.Sorted(maps.Keys(plain[n])); !slices.Equal(got, want) {
				t.Fatalf("step %d: label %d is on %v, want %v", i, n, got, want)
			}
		}
		var on []LabelID
		for _, n := range slices.Sorted(maps.Keys(plain)) {
			if plain[n][7] {
				on = append(on, n)
			}
			if len(plain[n]) > 0 && l.Of(n).Len() != len(plain[n]) {
				t.Fatalf("label %d is lost", n)
			}
		}
		if got := l.On(7); !slices.Equal(got, on) {
			t.Fatalf("item 7 has %v, want %v", got, on)
		}
	}
	for n := range l.All() {
		l = l.With(n, nil)
	}
	if l != nil {
		t.Errorf("without a label %x is left", []byte(l))
	}
	if again := l.With(0, SeqSet{}.Add(1)).With(MaxLabel+1, SeqSet{}.Add(1)); again != nil {
		t.Errorf("a number that no label has was taken: %x", []byte(again))
	}
}

func FuzzLabelSets(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte(LabelSets(nil).With(3, SeqSet{}.Add(1, 2, 9)).With(700, SeqSet{}.Add(5))))
	f.Add([]byte{1, 200, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		l := LabelSets(b)
		n := 0
		for label, set := range l.All() {
			if label < 1 || label > MaxLabel {
				t.Fatalf("label %d", label)
			}
			n += len(set)
		}
		if n > len(b) {
			t.Fatalf("%d bytes of %d", n, len(b))
		}
		changed := l.With(5, l.Of(5).Add(3))
		if !changed.Of(5).Has(3) {
			t.Fatal("a label was not taken on")
		}
		if l.Check(MaxSeq) == nil {
			if again := changed.With(5, l.Of(5)); !bytes.Equal(again, l) {
				t.Fatalf("%x became %x", b, []byte(again))
			}
		}
	})
}
