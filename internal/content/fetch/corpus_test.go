package fetch

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

// row is what the tables of the corpus have in common.
type row struct {
	ID, IP, URL, Verdict, Severity, Note string
	Port                                 int
	DNS                                  map[string][]string
	Start                                string
	Steps                                []step
	Name                                 string
	Answers                              []json.RawMessage
}

type step struct {
	Status   int
	Location *string
	Headers  map[string]string
	Body     string
	Absent   []string `json:"expect_request_headers_absent"`
}

// score counts right outcomes by verdict, and prints them at the end.
type score struct{ right, all map[string]int }

func newScore(t *testing.T) *score {
	s := &score{map[string]int{}, map[string]int{}}
	t.Cleanup(func() {
		for verdict, n := range s.all {
			t.Logf("%-22s %d/%d", verdict, s.right[verdict], n)
		}
	})
	return s
}

// judge compares what happened with the verdict. sent: a request was answered with a 2xx; the caller has
// already failed the test if anything but a public address was dialled.
func (s *score) judge(t *testing.T, r row, sent bool, note string) {
	t.Helper()
	var want bool
	switch r.Verdict {
	case "deny", "either_prefer_deny":
	case "allow":
		want = true
	default:
		return // either, or harm that the dialled addresses show
	}
	s.all[r.Verdict]++
	if sent == want {
		s.right[r.Verdict]++
		return
	}
	t.Errorf("%s %s%s%s (%s): sent %v, want %v; %s", r.ID, r.URL, r.IP, r.Start, r.Note, sent, want, note)
}

// onlyPublic fails the test for any connection that must never be.
func onlyPublic(t *testing.T, r row, dialled []netip.AddrPort) {
	t.Helper()
	for _, ap := range dialled {
		if reason := notPublic(ap.Addr()); reason != "" {
			t.Errorf("%s (%s): dialled %v, %s", r.ID, r.Note, ap, reason)
		}
	}
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<rss/>")) }

// fetched does one request and says whether it was answered with a 2xx.
func fetched(t *testing.T, c *Client, rawURL string) (bool, string) {
	resp, err := c.Do(t.Context(), Request{URL: rawURL})
	if err != nil {
		return false, err.Error()
	}
	defer resp.Release()
	return resp.Status/100 == 2, http.StatusText(resp.Status)
}

// G-38
func TestCorpusAddresses(t *testing.T) {
	t.Parallel()
	var rows []row
	corpus.ReadJSON(t, filepath.Join(corpus.Dir(t, "ssrf"), "addresses.json"), &rows)
	s := newScore(t)
	for _, r := range rows {
		// As a literal, and as the answer of a name: both must be judged alike, by what is dialled.
		w := newTestNet(t, http.HandlerFunc(ok))
		literal := r.IP
		if strings.Contains(literal, ":") {
			literal = "[" + strings.ReplaceAll(literal, "%", "%25") + "]"
		}
		w.dns["name.example"] = [][]string{{r.IP}}
		c := w.client()
		for _, u := range []string{"http://" + literal + "/", "http://name.example/"} {
			sent, note := fetched(t, c, u)
			s.judge(t, r, sent, u+": "+note)
		}
		if r.Verdict == "deny" && len(w.dials()) > 0 {
			t.Errorf("%s %s: dialled %v", r.ID, r.IP, w.dials())
		}
	}
}

func TestCorpusURLs(t *testing.T) {
	t.Parallel()
	var rows []row
	corpus.ReadJSON(t, filepath.Join(corpus.Dir(t, "ssrf"), "urls.json"), &rows)
	s := newScore(t)
	for _, r := range rows {
		w := newTestNet(t, http.HandlerFunc(ok))
		for name, answer := range r.DNS {
			w.dns[name] = [][]string{answer}
		}
		sent, note := fetched(t, w.client(), r.URL)
		s.judge(t, r, sent, note)
		onlyPublic(t, r, w.dials())
		if r.Verdict == "deny" && len(w.dials()) > 0 {
			t.Errorf("%s %q: dialled %v", r.ID, r.URL, w.dials())
		}
	}
}

func TestCorpusPorts(t *testing.T) {
	t.Parallel()
	var rows []row
	corpus.ReadJSON(t, filepath.Join(corpus.Dir(t, "ssrf"), "ports.json"), &rows)
	s := newScore(t)
	w := newTestNet(t, http.HandlerFunc(ok))
	w.dns["ok.example"] = [][]string{{"93.184.215.14"}}
	c := w.client()
	for _, r := range rows {
		scheme := "http"
		if r.Port == 443 || r.Port == 8443 {
			scheme = "https"
		}
		u := scheme + "://ok.example:" + itoa(r.Port) + "/"
		sent, note := fetched(t, c, u)
		r.URL = u
		s.judge(t, r, sent, note)
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestCorpusRedirects(t *testing.T) {
	t.Parallel()
	var rows []row
	corpus.ReadJSON(t, filepath.Join(corpus.Dir(t, "ssrf"), "redirects.json"), &rows)
	s := newScore(t)
	for _, r := range rows {
		var mu sync.Mutex
		served := 0
		var last http.Header
		w := newTestNet(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			mu.Lock()
			n := served
			served++
			last = q.Header.Clone()
			mu.Unlock()
			if n >= len(r.Steps) {
				ok(w, q)
				return
			}
			st := r.Steps[n]
			for k, v := range st.Headers {
				w.Header().Set(k, v)
			}
			if st.Location != nil {
				w.Header().Set("Location", *st.Location)
			}
			w.WriteHeader(st.Status)
			_, _ = w.Write([]byte(st.Body))
		}))
		for name, answer := range r.DNS {
			w.dns[name] = [][]string{answer}
		}
		// Credentials of the first host are present, so that a leak would show.
		start := strings.Replace(r.Start, "https://", "https://reader:secret@", 1)
		sent, note := fetched(t, w.client(), start)
		s.judge(t, r, sent, note)
		onlyPublic(t, r, w.dials())
		mu.Lock()
		if served > MaxRedirects+1 {
			t.Errorf("%s: %d requests", r.ID, served)
		}
		for _, st := range r.Steps {
			for _, name := range st.Absent {
				if last.Get(name) != "" {
					t.Errorf("%s: %s was sent to the second host", r.ID, name)
				}
			}
		}
		if r.Verdict == "no_follow" && (served != 1 || !sent) {
			t.Errorf("%s: %d requests for a page that only suggests to go elsewhere", r.ID, served)
		}
		if r.Verdict == "no_credentials" && served != 1 {
			t.Errorf("%s: asked again after 401", r.ID)
		}
		mu.Unlock()
	}
}

func TestCorpusRebinding(t *testing.T) {
	t.Parallel()
	var rows []row
	corpus.ReadJSON(t, filepath.Join(corpus.Dir(t, "ssrf"), "rebinding.json"), &rows)
	s := newScore(t)
	for _, r := range rows {
		w := newTestNet(t, http.HandlerFunc(ok))
		for _, raw := range r.Answers {
			var answer []string
			if json.Unmarshal(raw, &answer) != nil {
				var alias struct{ A []string }
				if err := json.Unmarshal(raw, &alias); err != nil {
					t.Fatal(err)
				}
				answer = alias.A
			}
			w.dns[r.Name] = append(w.dns[r.Name], answer)
		}
		c := w.client()
		for range len(r.Answers) + 1 {
			sent, note := fetched(t, c, "https://"+r.Name+"/feed")
			s.judge(t, r, sent, note)
			c.Close() // the next poll comes after the idle connection is gone
		}
		onlyPublic(t, r, w.dials())
	}
}
