package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// phase is one crawl of all feeds.
type phase struct {
	name  string
	sums  store.RunSums
	usage usage
	farm  farmStats
}

func (p *phase) perFeed() time.Duration { return p.usage.cpu / time.Duration(max(p.sums.Due, 1)) }

// rate is feeds a second, by the farm's clock: from its first request to its last.
func (p *phase) rate() float64 {
	if p.farm.Span <= 0 {
		return 0
	}
	return float64(p.farm.Requests) / p.farm.Span
}

// sound returns an error unless the crawl requested each feed once: its figures mean nothing otherwise.
func (p *phase) sound(n int) error {
	switch s := p.farm; {
	case s.Feeds != n, s.MaxPerFeed != 1, s.Other != 0, s.MaxPerHost != 1:
		return fmt.Errorf("%s: the farm saw %d of %d feeds, at most %d requests for one, %d other answers, %d at "+
			"once to a host",
			p.name, s.Feeds, n, s.MaxPerFeed, s.Other, s.MaxPerHost)
	case p.sums.Failed+p.sums.Deferred+p.sums.Skipped > 0:
		return fmt.Errorf("%s: %d failed, %d deferred, %d skipped", p.name, p.sums.Failed, p.sums.Deferred,
			p.sums.Skipped)
	}
	return nil
}

// round is the crawls of one fresh folder.
type round struct {
	imported            usage
	first, same, change phase
	again               []phase // the further changes, for P21
	floorFirst          time.Duration
	floorSame           time.Duration
	items, lost         int // the farm's, and those that we lack or have too many
	folder              int64
	stored              int64 // bytes of the folder after the first crawl
	// of the index of searches made anew, and of one that is up to date; zero without searches
	index, indexAgain usage
	indexed           indexed
}

// indexed is what `ruri index --json` prints.
type indexed struct{ Items, Segments int }

// crawls measures N feeds.
func (b *bench) crawls(ctx context.Context, n int) error {
	var rounds []round
	for i := range b.rounds {
		r, err := b.round(ctx, n, i)
		if err != nil {
			return err
		}
		rounds = append(rounds, r)
	}
	b.printCrawls(n, rounds)
	return nil
}

func (b *bench) round(ctx context.Context, n, i int) (r round, err error) {
	f, err := startFarm(ctx, b.farm, n, farmHosts)
	if err != nil {
		return r, err
	}
	defer f.stop()
	data := filepath.Join(b.work, fmt.Sprintf("data-%d-%d", n, i))
	urls, err := f.addresses()
	if err != nil {
		return r, err
	}
	began, err := f.items(urls)
	if err != nil {
		return r, err
	}
	if r.floorFirst, r.floorSame, err = floors(ctx, urls); err != nil {
		return r, err
	}
	if r.imported, err = b.load(ctx, data, urls); err != nil {
		return r, err
	}
	for _, p := range []struct {
		name string
		into *phase
		tick int
	}{{"first", &r.first, 0}, {"unchanged", &r.same, 0}, {"changed10", &r.change, 10}} {
		if *p.into, err = b.crawl(ctx, f, data, p.name, n, p.tick); err != nil {
			return r, err
		}
		if p.into == &r.first {
			r.stored = sizesOf(data).all
		}
	}
	for range 2 {
		p, err := b.crawl(ctx, f, data, "changed10", n, 10)
		if err != nil {
			return r, err
		}
		r.again = append(r.again, p)
	}
	r.items, r.lost, err = b.compare(ctx, f, data, urls, began)
	r.folder = sizesOf(data).all
	if err == nil && os.Getenv("RURI_SEARCH") != "off" {
		err = b.reindex(ctx, data, &r)
	}
	_ = os.RemoveAll(data)
	return r, err
}

// reindex makes the index of searches anew, and once more brings up to date what is.
func (b *bench) reindex(ctx context.Context, data string, r *round) error {
	out, u, err := b.command(ctx, data, "index", "--rebuild", "--json")
	if err != nil {
		return err
	}
	r.index = u
	if err := json.Unmarshal(out, &r.indexed); err != nil {
		return fmt.Errorf("ruri index --json: %w", err)
	}
	var again indexed
	if out, r.indexAgain, err = b.command(ctx, data, "index", "--json"); err == nil {
		err = json.Unmarshal(out, &again)
	}
	if err == nil && (again.Items > 0 || again.Segments != r.indexed.Segments) {
		err = fmt.Errorf("an index that was up to date got %d items: %+v before, %+v after", again.Items,
			r.indexed, again)
	}
	return err
}

// floors returns the CPU time of the plain client's two crawls.
func floors(ctx context.Context, urls []string) (first, same time.Duration, err error) {
	fl := newFloor(len(urls))
	defer fl.client.CloseIdleConnections()
	if first, err = fl.crawl(ctx, urls); err == nil {
		same, err = fl.crawl(ctx, urls)
	}
	return first, same, err
}

// importSize is how many feeds one import takes (C-14).
const importSize = 1000

// load subscribes the owner of a fresh folder to the farm's feeds.
func (b *bench) load(ctx context.Context, data string, urls []string) (sum usage, err error) {
	file := data + ".opml"
	for chunk := range slices.Chunk(urls, importSize) {
		var opml strings.Builder
		opml.WriteString(`<opml version="2.0"><body><outline text="Farm">`)
		for _, u := range chunk {
			fmt.Fprintf(&opml, `<outline type="rss" text="" xmlUrl="%s"/>`+"\n", u)
		}
		opml.WriteString("</outline></body></opml>")
		if err := os.WriteFile(file, []byte(opml.String()), 0o600); err != nil {
			return sum, err
		}
		_, u, err := b.command(ctx, data, "import", file)
		if err != nil {
			return sum, err
		}
		sum.cpu, sum.wall, sum.peakPSS = sum.cpu+u.cpu, sum.wall+u.wall, max(sum.peakPSS, u.peakPSS)
	}
	return sum, nil
}

// crawl polls all feeds once, after so many percent of them have got news.
func (b *bench) crawl(ctx context.Context, f *farm, data, name string, n, tick int) (phase, error) {
	p := phase{name: name}
	if tick > 0 {
		if err := f.tick(tick); err != nil {
			return p, err
		}
	}
	if err := f.reset(); err != nil {
		return p, err
	}
	out, u, err := b.command(ctx, data, "crawl", "--all", "--json", "--parallel", strconv.Itoa(parallel))
	if err != nil {
		return p, err
	}
	p.usage = u
	if err := json.Unmarshal(out, &p.sums); err != nil {
		return p, fmt.Errorf("ruri crawl --json: %w", err)
	}
	if p.farm, err = f.stats(); err != nil {
		return p, err
	}
	return p, p.sound(n)
}

// compare counts the items that the farm ever listed and those that the reader keeps, feed by feed.
func (b *bench) compare(ctx context.Context, f *farm, data string, urls []string, began []span) (items,
	lost int, err error) {
	ended, err := f.items(urls)
	if err != nil {
		return 0, 0, err
	}
	out, _, err := b.command(ctx, data, "feeds", "--json")
	if err != nil {
		return 0, 0, err
	}
	var lines []struct {
		URL   string `json:"url"`
		Items int    `json:"items"`
	}
	if err := json.Unmarshal(out, &lines); err != nil {
		return 0, 0, err
	}
	have := map[string]int{}
	for _, l := range lines {
		have[l.URL] = l.Items
	}
	for i, u := range urls {
		want := ended[i].last - began[i].first + 1
		items += want
		lost += max(want-have[u], have[u]-want)
	}
	return items, lost, nil
}

// folderSizes are the bytes of a data folder: of all files, each counted once however many names it has, of the blocks
// that they take on the disk, and of the files of some kinds.
type folderSizes struct{ all, onDisk, table, raws, index int64 }

func sizesOf(dir string) (s folderSizes) {
	seen := map[uint64]bool{}
	_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		var info os.FileInfo
		if err == nil {
			info, err = d.Info()
		}
		if err != nil || info.IsDir() {
			return nil //nolint:nilerr // a file of a database may go meanwhile
		}
		size, blocks := info.Size(), info.Size()
		if file, ok := info.Sys().(*syscall.Stat_t); ok {
			if seen[file.Ino] {
				return nil
			}
			seen[file.Ino], blocks = true, file.Blocks*512
		}
		s.all, s.onDisk = s.all+size, s.onDisk+blocks
		switch name, _ = filepath.Rel(dir, name); {
		case !strings.Contains(name, "/"):
			s.table += size
		case strings.Contains(name, "/feeds/"):
			s.raws += size
		case strings.Contains(name, "/search/"):
			s.index += size
		}
		return nil
	})
	return s
}
