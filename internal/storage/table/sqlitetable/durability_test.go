package sqlitetable_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
)

// child is set when this binary runs as a writer that is to be killed.
var child = flag.String("child", "", "write to this file until killed")

type small struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	N    int    `dynamo:"n"`
	Body []byte `dynamo:"body"`
	TTL  int64  `dynamo:"ttl,omitempty"`
}

func openAt(tb testing.TB, path string, o sqlitetable.Options) (*table.Table, *sqlitetable.Driver) {
	tb.Helper()
	d, err := sqlitetable.Open(path, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return table.New(d, table.Options{}), d
}

func integrity(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var verdict string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity: %q %v", verdict, err)
	}
}

// TestWriteUntilKilled is the child's part of the next test: it names each row only once it is
// acknowledged.
func TestWriteUntilKilled(t *testing.T) {
	if *child == "" {
		t.Skip("only as a child of TestKillLosesNothingAcknowledged")
	}
	tbl, _ := openAt(t, *child, sqlitetable.Options{})
	var out sync.Mutex
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				sk := fmt.Sprintf("%d-%06d", w, i)
				if err := tbl.Put(context.Background(), &small{PK: "kill", SK: sk, N: i, Body: make([]byte, 700)},
					table.IfAbsent()); err != nil {
					fmt.Println("error", err)
					return
				}
				out.Lock()
				fmt.Println("row", sk)
				out.Unlock()
			}
		})
	}
	wg.Wait()
}

// Every row whose write was acknowledged is there after kill -9, and the file is whole.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	for round, after := range []int{50, 700, 3000} {
		roundPath := fmt.Sprint(path, round)
		cmd := exec.Command(os.Args[0], "-test.run=^TestWriteUntilKilled$", "-child="+roundPath)
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var acknowledged []string
		lines := bufio.NewScanner(pipe)
		for lines.Scan() {
			if sk, ok := strings.CutPrefix(lines.Text(), "row "); ok {
				acknowledged = append(acknowledged, sk)
			}
			if len(acknowledged) == after {
				_ = cmd.Process.Kill() // SIGKILL; what is already in the pipe is read on
			}
		}
		_ = cmd.Wait()
		if len(acknowledged) < after {
			t.Fatalf("round %d: the child wrote %d rows", round, len(acknowledged))
		}
		tbl, d := openAt(t, roundPath, sqlitetable.Options{})
		there := map[string]bool{}
		for r, err := range tbl.Query(t.Context(), table.Query{PK: "kill"}) {
			if err == nil {
				err = r.Decode(&small{})
			}
			if err != nil {
				t.Fatal(err)
			}
			there[r.Key.SK] = true
		}
		for _, sk := range acknowledged {
			if !there[sk] {
				t.Errorf("round %d: row %s was acknowledged and is gone", round, sk)
			}
		}
		_ = d.Close()
		integrity(t, roundPath)
	}
}

// A full disk is a clear error; what was acknowledged stays, and space freed can be used again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	tbl, d := openAt(t, path, sqlitetable.Options{MaxBytes: 512 << 10})
	ctx := t.Context()
	var done sync.Map
	var full atomic.Int64
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 40 {
				sk := fmt.Sprintf("%d-%02d", w, i)
				err := tbl.Put(ctx, &small{PK: "p", SK: sk, N: i, Body: make([]byte, 5000)})
				switch {
				case err == nil:
					done.Store(sk, i)
				case fault.Is(err, fault.Unavailable) && fault.CodeOf(err) == "storage_full":
					full.Add(1)
				default:
					t.Errorf("%s: %v", sk, err)
				}
			}
		})
	}
	wg.Wait()
	if full.Load() == 0 {
		t.Fatal("320 rows of 5 KB fitted into 512 KB")
	}
	var keys []table.Key
	done.Range(func(sk, n any) bool {
		var r small
		keys = append(keys, table.Key{PK: "p", SK: sk.(string)})
		if err := tbl.Get(ctx, keys[len(keys)-1], &r); err != nil || r.N != n.(int) || len(r.Body) != 5000 {
			t.Errorf("row %v: %+v, %v", sk, r.N, err)
		}
		return true
	})
	if n := countRows(t, tbl, "p"); n != len(keys) {
		t.Errorf("%d rows are there, %d were acknowledged", n, len(keys))
	}
	if err := tbl.BatchWrite(ctx, nil, keys[:len(keys)/2]); err != nil {
		t.Errorf("deleting on a full disk: %v", err)
	}
	if err := tbl.Put(ctx, &small{PK: "p", SK: "again", Body: make([]byte, 5000)}); err != nil {
		t.Errorf("writing into freed space: %v", err)
	}
	_ = d.Close()
	integrity(t, path)
}

// Two processes on one file: here two drivers, which share no memory but the file's own.
func TestTwoOnOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	a, _ := openAt(t, path, sqlitetable.Options{})
	b, _ := openAt(t, path, sqlitetable.Options{})
	ctx := t.Context()
	var wg sync.WaitGroup
	for _, tbl := range []*table.Table{a, b} {
		for range 4 {
			wg.Go(func() {
				for range 50 {
					if err := tbl.Update(ctx, table.Key{PK: "p", SK: "n"},
						table.Update{Add: map[string]int64{"n": 1}}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	var r small
	if err := b.Get(ctx, table.Key{PK: "p", SK: "n"}, &r); err != nil || r.N != 400 {
		t.Errorf("n is %d (%v), want 400", r.N, err)
	}
}

// A write that waits for another process's lock can be given up, and is then not done.
func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	tbl, _ := openAt(t, path, sqlitetable.Options{})
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	holder, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 2)
	for _, sk := range []string{"a", "b"} {
		go func() { failed <- tbl.Put(ctx, &small{PK: "p", SK: sk}) }()
	}
	waited := make(chan error, 1)
	go func() { waited <- tbl.Put(t.Context(), &small{PK: "p", SK: "c"}) }()
	cancel()
	for range 2 {
		if err := <-failed; !fault.Is(err, fault.Cancelled) {
			t.Errorf("a write given up: %v", err)
		}
	}
	if _, err := holder.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("the write that went on waiting: %v", err)
	}
	for sk, want := range map[string]bool{"a": false, "b": false, "c": true} {
		err := tbl.Get(t.Context(), table.Key{PK: "p", SK: sk}, &small{})
		if (err == nil) != want {
			t.Errorf("row %s: %v, want it there: %v", sk, err, want)
		}
	}
}

func TestCloseIsFinal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	tbl, d := openAt(t, path, sqlitetable.Options{})
	ctx := t.Context()
	var wg sync.WaitGroup
	var written atomic.Int64
	for i := range 16 {
		wg.Go(func() {
			for j := range 1000 {
				err := tbl.Put(ctx, &small{PK: "p", SK: fmt.Sprint(i, "-", j)})
				if err == nil {
					written.Add(1)
				} else if fault.CodeOf(err) == "closed" {
					return
				} else {
					t.Error(err)
				}
				if err := tbl.Get(ctx, table.Key{PK: "p", SK: "0-0"}, &small{}); err != nil &&
					fault.CodeOf(err) != "closed" && !fault.Is(err, fault.NotFound) {
					t.Error(err)
				}
			}
		})
	}
	for written.Load() < 100 {
		runtime.Gosched()
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if _, now, complete := tbl.Changes(ctx, 0); complete || now > 0 {
		t.Error("a closed file has no log")
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("a log of %d bytes is left", info.Size())
	}
	again, _ := openAt(t, path, sqlitetable.Options{})
	if n := int64(countRows(t, again, "p")); n != written.Load() {
		t.Errorf("%d rows after reopening, %d were acknowledged", n, written.Load())
	}
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	database := func(name, script string) string {
		path := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(script); err != nil {
			t.Fatal(err)
		}
		_ = db.Close()
		return path
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]string{
		database("other", "CREATE TABLE x (y)"):       "storage_foreign",
		database("newer", "PRAGMA user_version = 99"): "storage_newer",
		database("older", "PRAGMA application_id = 0x72757269; CREATE TABLE rows (pk); "+
			"PRAGMA user_version = 2"): "storage_older",
		text: "storage_corrupt", filepath.Join(dir, "no", "such", "folder"): "storage_failed", dir: "storage_failed",
	} {
		if _, err := sqlitetable.Open(path, sqlitetable.Options{}); err == nil || fault.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", path, err, code)
		}
	}
	for _, odd := range []string{"a b?c#d%20é.db", "file:x.db"} {
		if _, err := sqlitetable.Open(filepath.Join(dir, odd), sqlitetable.Options{}); err != nil {
			t.Errorf("%s: %v", odd, err)
		}
		if _, err := os.Stat(filepath.Join(dir, odd)); err != nil {
			t.Error(err)
		}
	}
}

func TestDamagedRow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	tbl, _ := openAt(t, path, sqlitetable.Options{})
	if err := tbl.Put(t.Context(), &small{PK: "p", SK: "a"}); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("UPDATE rows SET item = x'63'"); err != nil {
		t.Fatal(err)
	}
	if err := tbl.Get(t.Context(), table.Key{PK: "p", SK: "a"}, &small{}); fault.CodeOf(err) != "row_damaged" ||
		!strings.Contains(err.Error(), "p a") {
		t.Error(err)
	}
	if err := tbl.Put(t.Context(), &small{PK: "p", SK: "b"}); err != nil {
		t.Errorf("another row: %v", err)
	}
}

// TestDeletedRowsLeaveTheFile: what was deleted is overwritten, not only taken out of the tree.
func TestDeletedRowsLeaveTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	const secret = "https://user:hunter2@example.org/"
	k := table.Key{PK: "p", SK: "a"}
	there := func(write func(*table.Table) error) bool {
		t.Helper()
		tbl, d := openAt(t, path, sqlitetable.Options{})
		if err := write(tbl); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil { // moves the log into the file
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(b, []byte(secret))
	}
	if !there(func(tbl *table.Table) error {
		return tbl.Put(t.Context(), &small{PK: k.PK, SK: k.SK, Body: []byte(secret)})
	}) {
		t.Fatal("the row was never in the file")
	}
	if there(func(tbl *table.Table) error { return tbl.Delete(t.Context(), k) }) {
		t.Error("a deleted row is still in the file")
	}
}
