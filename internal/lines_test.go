package internal_test

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	// maxColumns is the longest line of Go, with tabs of 4 columns: two files fit side by side on a screen.
	maxColumns = 120
	// longText is a string that nobody would divide: a signature, the feed of a test.
	longText = 60
)

// TestLinesFitTheScreen: no line of Go is longer than maxColumns, except where a long string makes it so.
func TestLinesFitTheScreen(t *testing.T) {
	t.Parallel()
	files := 0
	for _, top := range []string{"cmd", "docs", "functions", "internal", ".ci"} {
		matches, err := filepath.Glob(filepath.Join(root(t), top))
		if err != nil || len(matches) == 0 {
			t.Fatalf("%s: %v", top, err)
		}
		for _, m := range matches {
			err := filepath.WalkDir(m, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
					return err
				}
				src, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				files++
				for _, line := range longLines(src) {
					at := token.Position{Filename: path, Line: line}
					t.Errorf("%s: more than %d columns", relative(t, at), maxColumns)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if files < 1000 {
		t.Errorf("only %d files were read", files)
	}
}

// longLines returns the numbers of lines that are too long, from 1.
func longLines(src []byte) (long []int) {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	withText := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		for i := range strings.Split(text, "\n") {
			if tok == token.STRING && utf8.RuneCountInString(text) >= longText {
				withText[file.Line(pos)+i] = true
			}
		}
	}
	for i, line := range strings.Split(string(src), "\n") {
		columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		if columns > maxColumns && !withText[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}

func TestLongLinesAreNoticed(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("x", longText-3)
	src := "package x\n\n// " + strings.Repeat("y", maxColumns) + "\nvar a, b = \"" + word + "\", \"" + word + "\"\n" +
		"var c = `" + strings.Repeat("z", maxColumns) + "\n" + strings.Repeat("z", maxColumns+1) + "`\n"
	if got := longLines([]byte(src)); len(got) != 2 || got[0] != 3 || got[1] != 4 {
		t.Errorf("%v, want lines 3 and 4", got)
	}
}
