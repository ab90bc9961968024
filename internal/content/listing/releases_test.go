package listing

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// release is a page before or after a release of its site: other generated names, a moved column, an advertisement
// among the rows.
type release struct {
	name, url, next string
	body            []byte
	rows            map[string]*releaseRow // by link
}

// releaseRow is what a row says; "-" stands for nothing, "?" for what is not compared.
type releaseRow struct{ title, price, image, date, status string }

// readRelease reads NAME.html and what it lists, which is described in testdata/releases/README.md.
func readRelease(t testing.TB, name string) *release {
	t.Helper()
	stem := "testdata/releases/" + name
	body, err := os.ReadFile(stem + ".html")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(stem + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	out := &release{name: name, body: body, rows: map[string]*releaseRow{}}
	var base *url.URL
	absolute := func(ref string) string {
		if ref == "-" || ref == "?" {
			return ref
		}
		u, err := base.Parse(ref)
		if err != nil {
			t.Fatal(err)
		}
		return u.String()
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if v, ok := strings.CutPrefix(line, "url: "); ok {
			out.url = v
			if base, err = url.Parse(v); err != nil {
				t.Fatal(err)
			}
		} else if v, ok := strings.CutPrefix(line, "next: "); ok {
			out.next = absolute(v)
		} else if cells := strings.Split(line, " | "); len(cells) == 6 {
			out.rows[absolute(cells[0])] = &releaseRow{cells[1], cells[2], absolute(cells[3]), cells[4], cells[5]}
		}
	}
	return out
}

// releaseNames lists the pages whose names have an end: ".1.html" are those that have a page after a release.
func releaseNames(t testing.TB, end string) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/releases/*" + end)
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), end)
	}
	return files
}

// releaseScore says how well a page was read.
type releaseScore struct {
	links                 tally
	rows, right           int // rows that are listed; those of them of which all is right
	prices, wrong, absent int
	pages, next           int
	examples              []string // of what is wrong
}

func (s *releaseScore) add(o *releaseScore) {
	s.links.add(o.links)
	s.rows += o.rows
	s.right += o.right
	s.prices += o.prices
	s.wrong += o.wrong
	s.absent += o.absent
	s.pages += o.pages
	s.next += o.next
}

func (s *releaseScore) String() string {
	return fmt.Sprintf("links %d of %d, %d too many; right %d of %d; prices %d right, %d wrong, %d absent; next page "+
		"%d of %d",
		s.links.hit, s.links.want, s.links.got-s.links.hit, s.right, s.rows, s.prices, s.wrong, s.absent,
		s.next, s.pages)
}

// releaseLook is when pages are looked at that give days without a year.
var releaseLook = time.Date(2026, time.November, 29, 0, 0, 0, 0, time.UTC)

func (r *release) score(p *Page) *releaseScore {
	var want []string
	for link := range r.rows {
		want = append(want, link)
	}
	s := &releaseScore{links: compareLinks(want, linksOf(p)), rows: len(p.Rows), pages: 1}
	if next := p.Next; next == r.next || next == "" && r.next == "-" {
		s.next++
	} else {
		s.examples = append(s.examples, fmt.Sprintf("next %q, want %q", next, r.next))
	}
	for i := range p.Rows {
		row := &p.Rows[i]
		w := r.rows[row.Link]
		if w == nil {
			s.examples = append(s.examples, "no row: "+row.Link)
			continue
		}
		isRight := true
		compare := func(field, want, got string) bool {
			if got == "" {
				got = "-"
			}
			if want == got || want == "?" {
				return true
			}
			isRight = false
			s.examples = append(s.examples, fmt.Sprintf("%s %q, want %q", field, got, want))
			return false
		}
		price := ""
		if row.Price != nil {
			price = fmt.Sprint(row.Price.Amount, " ", row.Price.Currency)
		}
		switch {
		case compare("price", w.price, price):
			s.prices++
		case price == "":
			s.absent++
		default:
			s.wrong++
		}
		date, at := "", row.Date
		if w.date != "-" { // else days that count from the look are not compared
			at = row.date.from(releaseLook, p.Lang)
		}
		if !at.IsZero() {
			date = at.Format("2006-01-02")
		}
		status := [...]string{"", "onSale", "sold"}[row.Status]
		if w.status != "sold" && status != "sold" {
			status = w.status // what the page does not say counts as on sale
		}
		compare("title", w.title, row.Title)
		compare("image", w.image, row.Image)
		compare("date", w.date, date)
		compare("status", w.status, status)
		if isRight {
			s.right++
		}
	}
	return s
}

// notWhole are the pages of which something is not found.
var notWhole = []string{"builders-sv", "cfp-en.1", "cfp-en.2", "labels-below-us", "phones-ja",
	"talks-gb.1", "talks-gb.2"}

func TestDetectReleases(t *testing.T) {
	t.Parallel()
	var all releaseScore
	for _, name := range releaseNames(t, ".html") {
		r := readRelease(t, name)
		d, p := detected(t, r.name, r.body, "text/html; charset=utf-8", r.url)
		s := r.score(p)
		all.add(s)
		t.Logf("%-22s %v  %s", r.name, s, sourceOf(d))
		isWhole := s.links.hit == s.links.want && s.right == s.rows && s.next == s.pages
		if known := slices.Contains(notWhole, r.name); isWhole == known {
			t.Errorf("%s: all of it is right: %v", r.name, isWhole)
		}
		for _, x := range s.examples[:min(len(s.examples), 6)] {
			t.Log("      " + x)
		}
	}
	t.Log(&all)
	if all.links.recall() < 0.95 || ratio(all.right, all.rows) < 0.95 || all.wrong > 0 || all.next*10 < all.pages*9 {
		t.Errorf("too little is found, or right: %v", &all)
	}
}

// A watch of a page goes on after a release of its site.
func TestReleasesAreSurvived(t *testing.T) {
	t.Parallel()
	names, survived := releaseNames(t, ".1.html"), 0
	for _, name := range names {
		before, after := readRelease(t, name+".1"), readRelease(t, name+".2")
		d, p := detected(t, before.name, before.body, "text/html; charset=utf-8", before.url)
		if len(d.Candidates) == 0 {
			t.Logf("%s: nothing is found", name)
			continue
		}
		titles, priced := map[uint64]string{}, 0
		for i := range p.Rows {
			titles[p.Rows[i].Key] = p.Rows[i].Title
			if p.Rows[i].Price != nil {
				priced++
			}
		}
		known := func(r *Row) (bool, bool) {
			title, ok := titles[r.Key]
			return ok, title == r.Title
		}
		layout := d.Candidates[0].Layout
		now, err := Read(t.Context(), after.body, "text/html; charset=utf-8", after.url, &layout)
		if err != nil {
			t.Fatal(err)
		}
		how := "the layout still holds"
		if isSuspect(now, known, priced*2 > len(p.Rows)) {
			how = "detected anew"
			c, ok := Redetect(t.Context(), after.body, "text/html; charset=utf-8", after.url, &layout, known)
			if !ok {
				t.Logf("%-22s no layout replaces %+v", name, layout)
				continue
			}
			now = c.Page
		}
		s := after.score(now)
		if s.links.recall() >= 0.9 && s.right*10 >= s.rows*9 && s.wrong == 0 {
			survived++
			continue
		}
		t.Logf("%-22s %s: %v %q", name, how, s, s.examples[:min(len(s.examples), 4)])
	}
	t.Logf("%d of %d", survived, len(names))
	if survived < len(names)-1 {
		t.Errorf("%d of %d releases are survived", survived, len(names))
	}
}

// isSuspect is what a watch asks of a page before it describes it anew.
func isSuspect(p *Page, known Known, hadPrices bool) bool {
	rows, titles, prices := 0, 0, 0
	for i := range p.Rows {
		isKnown, isSame := known(&p.Rows[i])
		if isKnown {
			rows++
		}
		if isKnown && isSame {
			titles++
		}
		if p.Rows[i].Price != nil {
			prices++
		}
	}
	return rows*2 < len(p.Rows) || rows == 0 || titles*2 < rows || hadPrices && prices*2 < len(p.Rows) ||
		slices.ContainsFunc(p.Missing, func(name string) bool { return name != "status" })
}
