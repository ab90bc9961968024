package transfer

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// A folder of backups has one archive a day, of which old ones are removed by a rule, and a chain: a file with a line
// for each archive that was ever made, whose hash covers the line before. Who notes the hash of one day can tell later
// that no archive up to that day was changed.
//
// Write order: the archive, the line, then the removals. After a crash, an archive without a line gets one: its name
// says that it is complete.

const (
	chainName = "chain.jsonl"
	archived  = ".tar.gz"
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

// Keep makes the day's backup in a folder, unless it is there, and removes old ones. write writes an archive.
func Keep(ctx context.Context, folder string, now time.Time, write func(w io.Writer) error) (Link, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return Link{}, err
	}
	chain, err := readChain(folder)
	if err != nil {
		return Link{}, err
	}
	date := now.UTC().Format(time.DateOnly)
	name := filepath.Join(folder, date+archived)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if err := writeWhole(name, write); err != nil {
			return Link{}, err
		}
	} else if err != nil {
		return Link{}, err
	}
	if ctx.Err() != nil {
		return Link{}, ctx.Err()
	}
	i := slices.IndexFunc(chain, func(l Link) bool { return l.Date == date })
	if i < 0 {
		link := Link{Date: date}
		if len(chain) > 0 {
			link.Previous = chain[len(chain)-1].Hash
		}
		if link.SHA256, link.Bytes, err = sumOf(name); err != nil {
			return Link{}, err
		}
		link.Hash = link.sum()
		if err := appendLink(folder, link); err != nil {
			return Link{}, err
		}
		i, chain = len(chain), append(chain, link)
	}
	return chain[i], prune(folder)
}

// writeWhole writes a file that appears under its name when it is complete.
func writeWhole(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".part-*")
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func appendLink(folder string, link Link) error {
	line, err := json.Marshal(link)
	if err != nil {
		return err
	}
	name := filepath.Join(folder, chainName)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // the operator's folder
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

func sumOf(name string) (sum string, bytes int64, err error) {
	f, err := os.Open(name) //nolint:gosec // a file of the operator's folder
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	bytes, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), bytes, err
}

// readChain reads the chain of a folder. Half a line at the end, left by a crash, is an error: whoever continued behind
// it would break the chain.
func readChain(folder string) (chain []Link, err error) {
	f, err := os.Open(filepath.Join(folder, chainName)) //nolint:gosec // the operator names the folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var l Link
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, brokenChain(fmt.Sprintf("line %d", n))
		}
		chain = append(chain, l)
	}
	return chain, lines.Err()
}

func brokenChain(where string) error {
	return fault.Newf(fault.Conflict, "broken_chain", "The chain of the backups is broken at %s.", where)
}

// Verify checks the chain of a folder and the archives in it, and returns its last link. The error names the first line
// or archive that was changed.
func Verify(ctx context.Context, folder string) (last Link, err error) {
	chain, err := readChain(folder)
	if err != nil {
		return last, err
	}
	for _, l := range chain {
		if l.Previous != last.Hash || l.Hash != l.sum() {
			return last, brokenChain(l.Date)
		}
		sum, bytes, err := sumOf(filepath.Join(folder, filepath.Base(l.Date)+archived))
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed by the rule
		case err != nil:
			return last, err
		case sum != l.SHA256 || bytes != l.Bytes:
			return last, brokenChain(l.Date)
		}
		if ctx.Err() != nil {
			return last, ctx.Err()
		}
		last = l
	}
	return last, nil
}

// prune removes archives that the rule does not keep, and parts that a crash left behind.
func prune(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var days []time.Time
	for _, e := range entries {
		date, isArchive := strings.CutSuffix(e.Name(), archived)
		if day, err := time.Parse(time.DateOnly, date); isArchive && err == nil {
			days = append(days, day)
		} else if strings.Contains(e.Name(), archived+".part-") {
			if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	kept := kept(days)
	for _, day := range days {
		if !kept[day] {
			if err := os.Remove(filepath.Join(folder, day.Format(time.DateOnly)+archived)); err != nil {
				return err
			}
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
