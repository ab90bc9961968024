package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
)

// TestKeptBackups: a backup a day leaves those of 7 days, 4 weeks and 12 months, in one chain, in a folder and in a
// bucket. H-33
func TestKeptBackups(t *testing.T) {
	t.Parallel()
	blobs := blob.New(memblob.New())
	for name, on := range map[string]Shelf{
		"folder": Folder(filepath.Join(t.TempDir(), "backups")),
		"bucket": &bucket{blobs, "ruri/", 10}, // an archive has three parts
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			day := time.Date(2026, 12, 12, 3, 0, 0, 0, time.UTC)
			var last Link
			for range 20 {
				for n := range 2 { // again the same day: nothing
					var err error
					last, err = Keep(t.Context(), on, day, func(w io.Writer) error {
						if n > 0 {
							t.Error("made twice")
						}
						_, err := io.WriteString(w, day.String())
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				day = day.AddDate(0, 0, 1)
			}
			days, err := on.days(t.Context(), func(string) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			if len(days) != 9 { // 25 to 31 December, and the Sundays 20 and 13; 27 is among the days
				t.Errorf("%d backups: %v", len(days), days)
			}
			head, err := Verify(t.Context(), on)
			if err != nil || head != last || head.Date != "2026-12-31" {
				t.Errorf("%+v, %v", head, err)
			}
			chain, err := on.chain(t.Context())
			if err != nil || strings.Count(string(chain), "\n") != 20 {
				t.Errorf("%d lines, %v", strings.Count(string(chain), "\n"), err)
			}
			var out strings.Builder
			err = Fetch(t.Context(), on, "2026-12-31", &out)
			if err != nil || !strings.HasPrefix(out.String(), "2026-12-31") {
				t.Errorf("%q, %v", out.String(), err)
			}
			if err := Fetch(t.Context(), on, "2026-12-14", io.Discard); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a removed one: %v", err)
			}
		})
	}
}

// countedShelf counts how often the chain and archives are read.
type countedShelf struct {
	Shelf
	chains, archives int
}

func (s *countedShelf) chain(ctx context.Context) ([]byte, error) {
	s.chains++
	return s.Shelf.chain(ctx)
}

func (s *countedShelf) open(ctx context.Context, date string) (io.ReadCloser, error) {
	s.archives++
	return s.Shelf.open(ctx, date)
}

// TestVerifyReadsTheChainOnce: the chain once, however many archives it names, and each archive once.
func TestVerifyReadsTheChainOnce(t *testing.T) {
	t.Parallel()
	on := &countedShelf{Shelf: &bucket{blob.New(memblob.New()), "", 10}}
	for i := range 5 {
		day := time.Date(2026, 5, 1+i, 0, 0, 0, 0, time.UTC)
		if _, err := Keep(t.Context(), on, day, func(w io.Writer) error {
			_, err := io.WriteString(w, day.String())
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	on.chains = 0
	if _, err := Verify(t.Context(), on); err != nil || on.chains != 1 || on.archives != 5 {
		t.Errorf("%d reads of the chain, %d of archives, %v", on.chains, on.archives, err)
	}
}

// TestBucketAfterACrash: what a crash left of an archive is replaced or removed, and a missing part is found.
func TestBucketAfterACrash(t *testing.T) {
	t.Parallel()
	blobs := blob.New(memblob.New())
	on := &bucket{blobs, "", 4}
	day := time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC)
	keep := func(text string, fails error) error {
		_, err := Keep(t.Context(), on, day, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fails)
		})
		return err
	}
	crash := errors.New("crash")
	if err := keep("longer than the next", crash); !errors.Is(err, crash) {
		t.Fatal(err)
	}
	if err := keep("complete", nil); err != nil {
		t.Fatal(err)
	}
	day = day.AddDate(0, 0, 1)
	if err := keep("half of it", crash); !errors.Is(err, crash) {
		t.Fatal(err)
	}
	day = day.AddDate(0, 0, 1)
	if err := keep("the third", nil); err != nil {
		t.Fatal(err)
	}
	page, _, err := blobs.List(t.Context(), "", "", 0)
	var keys []string
	for _, o := range page {
		keys = append(keys, o.Key)
	}
	want := []string{"2026-05-01.tar.gz/00001", "2026-05-01.tar.gz/00002", "2026-05-03.tar.gz/00001",
		"2026-05-03.tar.gz/00002", "2026-05-03.tar.gz/00003", "chain.jsonl"}
	if err != nil || !slices.Equal(keys, want) {
		t.Errorf("the bucket has %q, %v", keys, err)
	}
	if _, err := Verify(t.Context(), on); err != nil {
		t.Error(err)
	}
	if err := blobs.Delete(t.Context(), "2026-05-01.tar.gz/00002"); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), on); fault.CodeOf(err) != "broken_chain" ||
		!strings.Contains(err.Error(), "2026-05-01") {
		t.Errorf("%v", err)
	}
}

func TestWhichBackupsAreKept(t *testing.T) {
	t.Parallel()
	var days []time.Time
	for i := range 730 {
		days = append(days, time.Date(2025, 1, 1+i, 0, 0, 0, 0, time.UTC))
	}
	var got []string
	for day := range kept(days) {
		got = append(got, day.Format(time.DateOnly))
	}
	slices.Sort(got)
	want := []string{
		"2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30", "2026-07-31", "2026-08-31",
		"2026-09-30", "2026-10-31", "2026-11-30", "2026-12-13", "2026-12-20", "2026-12-25", "2026-12-26", "2026-12-27",
		"2026-12-28", "2026-12-29", "2026-12-30", "2026-12-31",
	}
	if !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

// TestChangedBackups: a changed archive, a changed line and a missing line are found, and each crash is repaired.
func TestChangedBackups(t *testing.T) {
	t.Parallel()
	make := func(t *testing.T) (folder string) {
		folder = t.TempDir()
		for i := range 3 {
			day := time.Date(2026, 5, 1+i, 0, 0, 0, 0, time.UTC)
			_, err := Keep(t.Context(), Folder(folder), day, func(w io.Writer) error {
				_, err := io.WriteString(w, "archive")
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return folder
	}
	edit := func(t *testing.T, name string, change func(string) string) {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, []byte(change(string(b))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string]func(t *testing.T, folder string){
		"an archive": func(t *testing.T, folder string) {
			edit(t, filepath.Join(folder, "2026-05-02.tar.gz"), func(string) string { return "other" })
		},
		"a line": func(t *testing.T, folder string) {
			edit(t, filepath.Join(folder, chainName), func(s string) string {
				return strings.Replace(s, `"bytes":7`, `"bytes":8`, 1)
			})
		},
		"a line that is gone": func(t *testing.T, folder string) {
			edit(t, filepath.Join(folder, chainName), func(s string) string {
				_, rest, _ := strings.Cut(s, "\n")
				return rest
			})
		},
		"half a line": func(t *testing.T, folder string) {
			edit(t, filepath.Join(folder, chainName), func(s string) string { return s + `{"date` })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := make(t)
			change(t, folder)
			if _, err := Verify(t.Context(), Folder(folder)); fault.CodeOf(err) != "broken_chain" {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("a backup that fails leaves nothing", func(t *testing.T) {
		t.Parallel()
		folder := make(t)
		day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
		fails := errors.New("fails")
		_, err := Keep(t.Context(), Folder(folder), day, func(io.Writer) error { return fails })
		if !errors.Is(err, fails) {
			t.Errorf("%v", err)
		}
		if head, err := Verify(t.Context(), Folder(folder)); err != nil || head.Date != "2026-05-03" {
			t.Errorf("%+v, %v", head, err)
		}
	})
	t.Run("a crash before the line", func(t *testing.T) {
		t.Parallel()
		folder := make(t)
		edit(t, filepath.Join(folder, "2026-05-03.tar.gz"), func(string) string { return "archive" })
		edit(t, filepath.Join(folder, chainName), func(s string) string {
			lines := strings.SplitAfter(s, "\n")
			return lines[0] + lines[1]
		})
		day := time.Date(2026, 5, 3, 9, 0, 0, 0, time.UTC)
		_, err := Keep(t.Context(), Folder(folder), day, func(io.Writer) error { t.Error("made again"); return nil })
		if head, wrong := Verify(t.Context(), Folder(folder)); err != nil || wrong != nil || head.Date != "2026-05-03" {
			t.Errorf("%+v, %v, %v", head, err, wrong)
		}
	})
}
