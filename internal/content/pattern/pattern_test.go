package pattern_test

import (
	"sync"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

func TestUsesAtOnce(t *testing.T) {
	t.Parallel()
	date := pattern.New(`^(?P<year>\d{4})-(\d\d)$`)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if m := date.FindStringSubmatch("2026-11"); len(m) != 3 || m[date.SubexpIndex("year")] != "2026" {
				t.Errorf("got %q", m)
			}
		})
	}
	group.Wait()
}

func TestMistakesPanicAtTheFirstUse(t *testing.T) {
	t.Parallel()
	mistake := pattern.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	mistake.MatchString("")
}
