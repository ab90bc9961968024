package extract

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// fragments are what damages a feed's structure most.
var fragments = []string{
	"<![CDATA[", "]]>", "<!--", "-->", "<item>", "</item>", "</title>", "<entry>", "&lt;", "&#0;", `"`,
	"'", "<", ">", `\`,
	`\u00`, "{", "}", "[", "]", ",", `xmlns:x="http://purl.org/dc/elements/1.1/"`, "<img src=",
	"&lt;img src=x", "<script>",
	"\x1b$B", "\xe3\x80", "\xff", "</item",
}

// mutate damages a copy of b in one to six places.
func mutate(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(6) {
		if len(b) < 4 {
			break
		}
		p := r.IntN(len(b))
		switch r.IntN(5) {
		case 0:
			b[p] = byte(r.IntN(256))
		case 1:
			b = slices.Insert(b, p, []byte(fragments[r.IntN(len(fragments))])...)
		case 2:
			b = b[:p]
		case 3:
			b = slices.Delete(b, p, min(len(b), p+r.IntN(200)))
		default:
			piece := slices.Clone(b[p:min(len(b), p+r.IntN(500))])
			b = slices.Insert(b, r.IntN(len(b)), piece...)
		}
	}
	return b
}

// TestMutations reads seeded damage of the fixtures (and of the small documents of the corpus, if it is
// there): nothing panics, nothing harmful comes out, and a second scan knows all that the first found.
func TestMutations(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	files, err := filepath.Glob(filepath.Join("testdata", "feeds", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		bodies = append(bodies, fixture(t, filepath.Base(f)))
	}
	if dir := os.Getenv("RURI_CORPUS"); dir != "" {
		for _, c := range corpusFiles(t) {
			if len(c.body) < 20_000 {
				bodies = append(bodies, c.body)
			}
		}
	}
	r := rand.New(rand.NewPCG(2, 2026))
	read := 0
	for range 10_000 {
		b := mutate(r, bodies[r.IntN(len(bodies))])
		f, err := Scan(b, "", "http://x.example/f", Options{MaxItems: 50})
		if err != nil {
			continue
		}
		read++
		if h := harm(f); h != "" {
			t.Fatalf("%s\n%q", h, b)
		}
		known := identities(f)
		again, err := Scan(b, "", "http://x.example/f", Options{MaxItems: 50, Known: func(id uint64) (uint32, bool) {
			c, ok := known[id]
			return c, ok
		}})
		if err != nil || again.Channel != f.Channel || len(again.Items) != len(f.Items) {
			t.Fatalf("second scan: %v\n%q", err, b)
		}
		for i := range again.Items {
			if !again.Items[i].Known {
				t.Fatalf("item %d is not known again\n%q", i, b)
			}
		}
	}
	if read < 3_000 {
		t.Errorf("only %d of 10,000 damaged documents were read", read)
	}
}
