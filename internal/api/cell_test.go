package api

import "testing"

func TestCellsAreNoFormulas(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"=1+1", "+1", "-1", "@x", "＝1+1", "＋1", "－1", "＠x", "﹦1", "﹢1", "﹣1", "﹫x",
		"−1", "\t=1"} {
		if got := cell(s); got != "'"+s {
			t.Errorf("%q is written as %q", s, got)
		}
	}
	if got := cell("A lamp = light"); got != "A lamp = light" {
		t.Error(got)
	}
}
