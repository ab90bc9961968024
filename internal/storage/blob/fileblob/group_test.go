package fileblob

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// queued counts the puts into a folder that wait or are under way.
func (s *Store) queued(dir string) (n int) {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	for g := s.queue.last[dir]; g != nil; g = g.before {
		n += len(g.puts)
	}
	return n
}

// together puts n blobs d/x/0, d/x/1 … so that all wait behind the first: they form the groups that their number gives.
// fail is asked at each step after the first; nil fails none. It returns each put's error.
func together(t *testing.T, s *Store, n int, context func(i int) context.Context,
	fail func(step string) error) []error {
	t.Helper()
	errs := make([]error, n)
	inTurn(t, s, n, fail, func(i int) {
		_, errs[i] = blob.New(s).PutIfAbsent(context(i), key(i), body(i), blob.Meta{ContentType: "text/xml"})
	})
	return errs
}

// inTurn calls put for 0 to n-1, each when the one before is under way, and holds the first until all are.
func inTurn(t *testing.T, s *Store, n int, fail func(step string) error, put func(i int)) {
	t.Helper()
	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.fail = func(step string) error {
		first := false
		once.Do(func() { first = true })
		if first {
			close(held)
			<-release
			return nil
		}
		if fail == nil {
			return nil
		}
		return fail(step)
	}
	var wg sync.WaitGroup
	wg.Go(func() { put(0) })
	<-held
	for i := 1; i < n; i++ {
		before := s.queued("d")
		wg.Go(func() { put(i) })
		for s.queued("d") == before { // one after another, so that their order is known
			time.Sleep(100 * time.Microsecond)
		}
	}
	close(release)
	wg.Wait()
	s.fail = nil
}

func key(i int) string  { return fmt.Sprintf("d/x/%d", i) }
func body(i int) []byte { return []byte(strings.Repeat(fmt.Sprint(i), 100)) }

func background(t *testing.T) func(int) context.Context {
	return func(int) context.Context { return t.Context() }
}

// The bodies of a crawl with 64 hosts at once need less than a fifth of a sync each.
func TestSyncsOfAGroup(t *testing.T) {
	t.Parallel()
	const n = 64
	s := open(t, t.TempDir())
	if err := blob.New(s).Put(t.Context(), "d/x/other", nil, blob.Meta{}); err != nil { // the folder is there
		t.Fatal(err)
	}
	var mu sync.Mutex
	syncs := 0
	errs := together(t, s, n, background(t), func(step string) error {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(step, "sync") {
			syncs++
		}
		return nil
	})
	for i, err := range errs {
		if got, m, e := blob.New(s).Get(t.Context(), key(i)); err != nil || e != nil ||
			string(got) != string(body(i)) || m.ContentType != "text/xml" {
			t.Errorf("%d: %q %v, %v, %v", i, got, m, err, e)
		}
	}
	if syncs*5 >= n {
		t.Errorf("%d syncs for %d bodies", syncs, n)
	}
	if got := files(t, s.root.Name()); len(got) != n+1 {
		t.Errorf("%d files, want a name for each blob and nothing else: %v", len(got), got)
	}
	page, _, err := blob.New(s).List(t.Context(), "d/x/1", "", 0)
	if err != nil || len(page) != 11 || page[0].Size != int64(len(body(1))) {
		t.Errorf("listed %v, %v", page, err)
	}
}

// Puts that come one after another wait for nobody: each has its own file.
func TestAloneIsNoGroup(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	for i := range 3 {
		if _, err := blob.New(s).PutIfAbsent(t.Context(), key(i), body(i), blob.Meta{}); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(s.root.Name(), fileOf(key(i))))
		if err != nil || string(raw[:8]) != magic {
			t.Errorf("file %d begins with %q, %v", i, raw[:8], err)
		}
	}
	if len(s.queue.open)+len(s.queue.last) > 0 {
		t.Error("groups that have ended are kept")
	}
}

// Whatever step fails, once for the group and once more for one of its blobs, that one fails alone and can be put
// again.
func TestOneOfAGroupFails(t *testing.T) {
	t.Parallel()
	const n = 6 // one alone, five together
	for step, calls := range map[string][]int{
		"create": {1, 4}, "write": {3, 6}, "sync": {1, 2}, "rename": {4},
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			var mu sync.Mutex
			seen, off := 0, 0
			if step != "create" { // the first put makes one of each
				off = 1
			}
			errs := together(t, s, n, background(t), func(at string) error {
				mu.Lock()
				defer mu.Unlock()
				if at != step {
					return nil
				}
				if seen++; slices.Contains(calls, seen-off) {
					return syscall.ENOSPC
				}
				return nil
			})
			failed := 0
			for i, err := range errs {
				got, _, e := blob.New(s).Get(t.Context(), key(i))
				if err == nil {
					if string(got) != string(body(i)) {
						t.Errorf("%d was acknowledged: %q, %v", i, got, e)
					}
					continue
				}
				if failed++; fault.CodeOf(err) != "storage_full" || !fault.Is(e, fault.NotFound) {
					t.Errorf("%d: %v, then %v", i, err, e)
				}
				if created, err := blob.New(s).PutIfAbsent(t.Context(), key(i), body(i), blob.Meta{}); err != nil ||
					!created {
					t.Errorf("put %d again: %v, %v", i, created, err)
				}
			}
			if failed != 1 {
				t.Errorf("%d failed, want one: %v", failed, errs)
			}
			if got := files(t, s.root.Name()); len(got) != n {
				t.Errorf("files: %v", got)
			}
		})
	}
}

// What was not synced is not acknowledged to anybody.
func TestUnsyncedGroup(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	folders := 0
	errs := together(t, s, 4, background(t), func(at string) error {
		if at == "syncdir" {
			if folders++; folders > 2 { // those of the first put: the root and d
				return syscall.EIO
			}
		}
		return nil
	})
	for i, err := range errs {
		if want := i > 0; fault.Is(err, fault.Unavailable) != want {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// A caller that has gone is left out of the group.
func TestCancelledInAGroup(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	errs := together(t, s, 4, func(i int) context.Context {
		if i == 2 {
			return ctx
		}
		return t.Context()
	}, func(string) error { cancel(); return nil }) // at a step of the first put, before the group begins
	for i, err := range errs {
		if want := i == 2; fault.Is(err, fault.Cancelled) != want {
			t.Errorf("%d: %v", i, err)
		}
		if _, err := blob.New(s).Stat(t.Context(), key(i)); fault.Is(err, fault.NotFound) != (i == 2) {
			t.Errorf("%d is there: %v", i, err)
		}
	}
}

// The blobs of a group are deleted one by one, and one that is damaged leaves the others whole.
func TestBlobsOfAGroupAreApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func([]byte) []byte
		broken int // how many of the group
	}{
		"one body":           {func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, 1},
		"entry":              {func(b []byte) []byte { b[packFixed+3] ^= 1; return b }, 3},
		"number":             {func(b []byte) []byte { b[8], b[9] = 0xff, 0xff; return b }, 3},
		"cut":                {func(b []byte) []byte { return b[:len(b)-1] }, 1},
		"only the beginning": {func(b []byte) []byte { return b[:packFixed-2] }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			b := blob.New(s)
			together(t, s, 5, background(t), nil)
			if err := b.Delete(t.Context(), key(2)); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Stat(t.Context(), key(2)); !fault.Is(err, fault.NotFound) {
				t.Errorf("deleted: %v", err)
			}
			file := filepath.Join(s.root.Name(), fileOf(key(1)))
			raw, err := os.ReadFile(file)
			if err != nil || bytes.Contains(raw, body(2)) {
				t.Fatalf("the file still has the body that was deleted, or %v", err)
			}
			// In place: each name is the same file.
			if err := os.WriteFile(file, c.damage(raw), 0o600); err != nil {
				t.Fatal(err)
			}
			broken := 0
			for _, i := range []int{0, 1, 3, 4} {
				got, _, err := b.Get(t.Context(), key(i))
				if err != nil && fault.CodeOf(err) != "blob_corrupt" || err == nil && string(got) != string(body(i)) {
					t.Errorf("%d: %q, %v", i, got, err)
				}
				if err != nil {
					broken++
				}
			}
			if broken != c.broken {
				t.Errorf("%d of the group are broken, want %d", broken, c.broken)
			}
			if page, _, err := b.List(t.Context(), "d/", "", 0); err != nil || len(page) != 4 {
				t.Errorf("listing %v, %v", page, err)
			}
		})
	}
}

// Equal keys in one group are created once.
func TestEqualKeysInAGroup(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	b := blob.New(s)
	created := make([]bool, 8)
	inTurn(t, s, len(created), nil, func(j int) {
		created[j], _ = b.PutIfAbsent(t.Context(), "d/x/same", fmt.Append(nil, j), blob.Meta{})
	})
	got, _, err := b.Get(t.Context(), "d/x/same")
	if err != nil {
		t.Fatal(err)
	}
	for j, is := range created {
		if is != (string(got) == fmt.Sprint(j)) {
			t.Errorf("put %d says created %v; stored is %q", j, is, got)
		}
	}
}

// Reading a blob of a group while it is deleted, and put again, finds it or does not: it is never damaged.
func TestReadWhileDeleted(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	b := blob.New(s)
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for i := range 2 {
		readers.Go(func() {
			for n := i; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				k := n % 5
				got, _, err := b.Get(t.Context(), key(k))
				if err == nil && string(got) != string(body(k)) || fault.Ignore(err, fault.NotFound) != nil {
					t.Errorf("get %d: %q, %v", k, got, err)
				}
				if _, err := b.Stat(t.Context(), key(k)); fault.Ignore(err, fault.NotFound) != nil {
					t.Errorf("stat %d: %v", k, err)
				}
			}
		})
	}
	for range 8 {
		together(t, s, 5, background(t), nil)
		for i := range 5 {
			if err := b.Delete(t.Context(), key(i)); err != nil {
				t.Error(err)
			}
		}
	}
	close(stop)
	readers.Wait()
}
