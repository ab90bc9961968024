package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events string
		ok     bool
		want   tally
		prints []string
	}{
		"subtests are counted, their parent is not": {
			events: `{"Action":"run","Package":"p","Test":"T"}
{"Action":"run","Package":"p","Test":"T/a"}
{"Action":"run","Package":"p","Test":"T/b"}
{"Action":"pass","Package":"p","Test":"T/a"}
{"Action":"skip","Package":"p","Test":"T/b"}
{"Action":"pass","Package":"p","Test":"T"}
{"Action":"pass","Package":"p","Elapsed":1}`,
			ok: true, want: tally{1, 0, 1}, prints: []string{"1 passed, 0 failed, 1 skipped"},
		},
		"a failing subtest fails once and shows its output": {
			events: `{"Action":"run","Package":"p","Test":"T"}
{"Action":"run","Package":"p","Test":"T/a"}
{"Action":"output","Package":"p","Test":"T/a","Output":"    t_test.go:3: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"T/a"}
{"Action":"fail","Package":"p","Test":"T"}
{"Action":"fail","Package":"p"}`,
			want: tally{0, 1, 0}, prints: []string{"got 1, want 2", "FAIL p T/a"},
		},
		"a parent that fails by itself counts": {
			events: `{"Action":"run","Package":"p","Test":"T"}
{"Action":"run","Package":"p","Test":"T/a"}
{"Action":"pass","Package":"p","Test":"T/a"}
{"Action":"fail","Package":"p","Test":"T"}
{"Action":"fail","Package":"p"}`,
			want: tally{1, 1, 0},
		},
		"a package that does not build is one failure with the compiler's message": {
			events: `{"Action":"build-output","ImportPath":"p","Output":"p/x.go:1:1: undefined: y\n"}
{"Action":"build-fail","ImportPath":"p"}
{"Action":"fail","Package":"p","FailedBuild":"p"}`,
			want: tally{0, 1, 0}, prints: []string{"undefined: y"},
		},
		"a panic shows the unfinished test": {
			events: `{"Action":"run","Package":"p","Test":"T"}
{"Action":"output","Package":"p","Test":"T","Output":"panic: boom\n"}
{"Action":"fail","Package":"p"}`,
			want: tally{0, 1, 0}, prints: []string{"panic: boom"},
		},
		"skips give their reason": {
			events: `{"Action":"run","Package":"p","Test":"T"}
{"Action":"output","Package":"p","Test":"T","Output":"    t_test.go:9: corpus not present: skipped\n"}
{"Action":"skip","Package":"p","Test":"T"}
{"Action":"pass","Package":"p"}`,
			ok: true, want: tally{0, 0, 1}, prints: []string{"SKIPPED: corpus not present: skipped (T)"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			r := newReport(&out)
			if err := r.read(strings.NewReader(tt.events)); err != nil {
				t.Fatal(err)
			}
			if ok := r.finish(); ok != tt.ok {
				t.Errorf("finish = %v, want %v", ok, tt.ok)
			}
			if r.total != tt.want {
				t.Errorf("total = %v, want %v", r.total, tt.want)
			}
			for _, want := range tt.prints {
				if !strings.Contains(out.String(), want) {
					t.Errorf("output lacks %q:\n%s", want, out.String())
				}
			}
		})
	}
}

// TestTestsWriteToMemory: where there is room for it, unless somebody chose another folder.
func TestTestsWriteToMemory(t *testing.T) {
	t.Setenv("TMPDIR", "")
	folder := t.TempDir()
	if env := inMemory(folder); len(env) > 0 && !slices.Contains(env, "TMPDIR="+folder) { // none on a full disk
		t.Errorf("tests get %q", env)
	}
	if env := inMemory(filepath.Join(folder, "none")); env != nil {
		t.Errorf("without a file system in memory tests get %q", env)
	}
	t.Setenv("TMPDIR", "/elsewhere")
	if env := inMemory(folder); env != nil {
		t.Errorf("where somebody chose a folder, tests get %q", env)
	}
}
