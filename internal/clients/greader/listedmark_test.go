package greader_test

import (
	"net/url"
	"testing"
	"time"
)

// TestTimesOfReferencesMarkWhatWasListed: the newest reference's time marks all that was listed, also in the minute in
// which it arrived, and nothing that came after the list.
func TestTimesOfReferencesMarkWhatWasListed(t *testing.T) {
	t.Parallel()
	for _, later := range []time.Duration{0, time.Second, 59 * time.Second, time.Hour} {
		w := newWorld(t, false)
		p := w.web.feed("https://a.example/feed", 3)
		id := w.subscribe(w.owner, "https://a.example/feed")
		c := w.client("").logIn(w.owner)
		for _, s := range []string{allItems, "feed/" + id.String()} {
			w.web.publish(p, "News of "+s)
			w.clock.Add(time.Hour + 13*time.Second + 700*time.Millisecond)
			w.poll(id)
			w.clock.Add(later)
			listed := func() (refs []struct{ TimestampUsec string }) {
				var out struct {
					ItemRefs []struct{ TimestampUsec string }
				}
				c.get(api+"stream/items/ids",
					url.Values{"s": {s}, "n": {"1000"}, "xt": {"user/-/state/com.google/read"}, "output": {"json"}},
					&out)
				return out.ItemRefs
			}
			refs := listed()
			if len(refs) == 0 {
				t.Fatalf("%s after %v: nothing is listed", s, later)
			}
			newest := ""
			for _, r := range refs {
				if len(r.TimestampUsec) > len(newest) || len(r.TimestampUsec) == len(newest) &&
					r.TimestampUsec > newest {
					newest = r.TimestampUsec
				}
			}
			w.clock.Add(10 * time.Minute)
			w.web.publish(p, "After the list of "+s)
			w.poll(id)
			c.change(api+"mark-all-as-read", url.Values{"s": {s}, "ts": {newest}})
			if left := listed(); len(left) != 1 {
				t.Errorf("%s after %v: %d of %d are unread, marked up to %s", s, later, len(left), len(refs), newest)
			}
		}
	}
}
