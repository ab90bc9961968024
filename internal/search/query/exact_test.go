package query

import "testing"

// TestExact: an index term decides about a word alone unless it leaves out what the word's form tells apart.
func TestExact(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]bool{
		"cafe": true, "احمد": true, "かな": false, `"cafe"`: false, `"αθηνα"`: false, `"еще"`: false, `"احمد"`: false,
		`"東京"`: true,
	} {
		parsed, err := Parse(q, Options{})
		if err != nil || parsed.Terms[0].IsExact != want {
			t.Errorf("%s: %v, %+v", q, err, parsed)
		}
	}
}
