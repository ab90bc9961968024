//go:build unix

package sqlitetable_test

import (
	"path/filepath"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
)

// TestAlone: the first process knows whether others have the file open, or had since it last asked; the others never
// count as alone.
func TestAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	first, one := openAt(t, path, sqlitetable.Options{})
	ask := func(want, wantStayed bool) {
		t.Helper()
		stayed := false
		is, canBe := first.Alone(func(s bool) { stayed = s })
		if !canBe || is != want || stayed != wantStayed {
			t.Errorf("alone %v, stayed so %v", is, stayed)
		}
	}
	ask(true, false)
	ask(true, true)
	second, two := openAt(t, path, sqlitetable.Options{})
	ask(false, false)
	if is, _ := second.Alone(func(bool) { t.Error("called") }); is {
		t.Error("the second is alone")
	}
	_ = two.Close()
	ask(true, false)
	ask(true, true)
	_, two = openAt(t, path, sqlitetable.Options{})
	_ = two.Close() // between two questions
	ask(true, false)
	ask(true, true)
	_ = one.Close()
	ask(false, false)
	first, _ = openAt(t, path, sqlitetable.Options{})
	ask(true, false)
}
