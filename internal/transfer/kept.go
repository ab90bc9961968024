package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// A shelf of backups has one archive a day, of which old ones are removed by a rule, and a chain: a file with a line
// for each archive that was ever made, whose hash covers the line before. Who notes the hash of one day can tell later
// that no archive up to that day was changed.
//
// Write order: the archive, the line, then the removals. After a crash, an archive without a line gets one if it is
// complete, and is written anew otherwise.

// ArchiveEnd is the end of an archive's name, after its date.
const ArchiveEnd = ".tar.gz"

const (
	chainName = "chain.jsonl"
	// How many backups are kept: the newest of so many days, weeks and months that have one.
	keptDays, keptWeeks, keptMonths = 7, 4, 12
)

// Link is a line of the chain.
type Link struct {
	Date     string `json:"date"`
	SHA256   string `json:"sha256"`
	Bytes    int64  `json:"bytes"`
	Previous string `json:"previous"` // the hash of the line before; empty in the first
	Hash     string `json:"hash"`
}

func (l *Link) sum() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d\n", l.Previous, l.Date, l.SHA256, l.Bytes))
	return hex.EncodeToString(sum[:])
}

// Keep makes the day's backup, unless it is there, and removes old ones. write writes an archive.
func Keep(ctx context.Context, to Shelf, now time.Time, write func(w io.Writer) error) (Link, error) {
	text, err := to.chain(ctx)
	if err != nil {
		return Link{}, err
	}
	chain, err := parseChain(text)
	if err != nil {
		return Link{}, err
	}
	link := Link{Date: now.UTC().Format(time.DateOnly)}
	if i := slices.IndexFunc(chain, func(l Link) bool { return l.Date == link.Date }); i >= 0 {
		link = chain[i]
	} else {
		if link.SHA256, link.Bytes, err = to.put(ctx, link.Date, write); err != nil {
			return Link{}, err
		}
		if len(chain) > 0 {
			link.Previous = chain[len(chain)-1].Hash
		}
		link.Hash = link.sum()
		if err := appendLink(ctx, to, text, link); err != nil {
			return Link{}, err
		}
		chain = append(chain, link)
	}
	days, err := to.days(ctx, func(date string) bool {
		return slices.ContainsFunc(chain, func(l Link) bool { return l.Date == date })
	})
	if err != nil {
		return Link{}, err
	}
	keep := kept(days)
	for _, day := range days {
		if !keep[day] {
			if err := to.remove(ctx, day.Format(time.DateOnly)); err != nil {
				return Link{}, err
			}
		}
	}
	return link, ctx.Err()
}

func appendLink(ctx context.Context, to Shelf, chain []byte, link Link) error {
	line, err := json.Marshal(link)
	if err != nil {
		return err
	}
	if len(chain) > 0 && chain[len(chain)-1] != '\n' {
		chain = append(chain, '\n')
	}
	return to.setChain(ctx, append(chain, append(line, '\n')...))
}

// parseChain reads the lines of a chain. Half a line at the end, left by a crash, is an error: whoever continued behind
// it would break the chain.
func parseChain(text []byte) (chain []Link, err error) {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		var l Link
		if json.Unmarshal([]byte(line), &l) != nil {
			return nil, brokenChain(fmt.Sprintf("line %d", n))
		}
		chain = append(chain, l)
	}
	return chain, nil
}

func brokenChain(where string) error {
	return fault.Newf(fault.Conflict, "broken_chain", "The chain of the backups is broken at %s.", where)
}

// wholeChain reads a chain and checks that its lines follow each other.
func wholeChain(ctx context.Context, in Shelf) ([]Link, error) {
	text, err := in.chain(ctx)
	if err != nil {
		return nil, err
	}
	chain, err := parseChain(text)
	previous := ""
	for i := range chain {
		l := &chain[i]
		if l.Previous != previous || l.Hash != l.sum() {
			return nil, brokenChain(l.Date)
		}
		previous = l.Hash
	}
	return chain, err
}

// Verify checks the chain and the archives that are there, and returns its last link. The error names the first line or
// archive that was changed.
func Verify(ctx context.Context, in Shelf) (last Link, err error) {
	chain, err := wholeChain(ctx, in)
	if err != nil {
		return last, err
	}
	for i := range chain {
		err := fetchLinked(ctx, in, chain, chain[i].Date, io.Discard)
		if errors.Is(err, fs.ErrNotExist) { // removed by the rule
			continue
		}
		if err != nil {
			return last, err
		}
	}
	if len(chain) > 0 {
		last = chain[len(chain)-1]
	}
	return last, nil
}

// Fetch copies a day's archive, and checks it and the chain up to it; fs.ErrNotExist: there is none. An archive without
// a line in the chain is copied unchecked.
func Fetch(ctx context.Context, from Shelf, date string, to io.Writer) error {
	chain, err := wholeChain(ctx, from)
	if err != nil {
		return err
	}
	return fetchLinked(ctx, from, chain, date, to)
}

func fetchLinked(ctx context.Context, from Shelf, chain []Link, date string, to io.Writer) error {
	r, err := from.open(ctx, date)
	if err != nil {
		return err
	}
	defer r.Close()
	sum := sha256.New()
	bytes, err := io.Copy(io.MultiWriter(to, sum), r)
	if err != nil {
		return err
	}
	for i := range chain {
		l := &chain[i]
		if l.Date == date && (l.Bytes != bytes || l.SHA256 != hex.EncodeToString(sum.Sum(nil))) {
			return brokenChain(date)
		}
	}
	return nil
}

// kept returns which days' backups are kept.
func kept(days []time.Time) map[time.Time]bool {
	slices.SortFunc(days, func(a, b time.Time) int { return b.Compare(a) })
	out := map[time.Time]bool{}
	for _, rule := range []struct {
		most   int
		period func(time.Time) string
	}{
		{keptDays, func(t time.Time) string { return t.Format(time.DateOnly) }},
		{keptWeeks, func(t time.Time) string { y, w := t.ISOWeek(); return fmt.Sprint(y, "-", w) }},
		{keptMonths, func(t time.Time) string { return t.Format("2006-01") }},
	} {
		seen := map[string]bool{}
		for _, day := range days {
			if p := rule.period(day); !seen[p] && len(seen) < rule.most {
				seen[p], out[day] = true, true
			}
		}
	}
	return out
}
