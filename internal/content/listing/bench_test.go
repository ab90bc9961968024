package listing

import "testing"

func BenchmarkDetect(b *testing.B) {
	pages := unseenPages(b)
	for b.Loop() {
		for _, u := range pages {
			if _, err := Detect(b.Context(), u.body, u.contentType, u.URL); err != nil {
				b.Fatal(err)
			}
		}
	}
}
