package api

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

var update = flag.Bool("update", false, "write the table of codes in docs/api.md")

const module = "github.com/ruri-reader/ruri/"

// use is one place where an error gets its code.
type use struct {
	code, kind, format string // no format: the code's own words are told
	values             int
	at                 string
}

// computed are places whose code is not written there. What they can give is written elsewhere, and found there.
var computed = []string{
	"internal/blob/blob.go", "internal/queue/queue.go", // an error of a driver, with an operation around it
	"internal/crawl/adopt.go",                                                                                         // a code of package reader
	"internal/fetch/errors.go", "internal/api/errors.go", "internal/subscribe/add.go", "internal/subscribe/search.go", // tables of codes
	"internal/store/account.go", // notFoundAs: its callers name the code
	"internal/wire/awswire/parameters.go",
}

// reachable lists the folders of the packages that the wired reader is made of.
func reachable(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] || strings.HasPrefix(dir, "internal/cost") || strings.HasPrefix(dir, "internal/transfer") {
			return
		}
		seen[dir] = true
		for _, f := range parsed(t, dir, parser.ImportsOnly) {
			for _, spec := range f.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				if used, ours := strings.CutPrefix(path, module); ours {
					visit(used)
				}
			}
		}
	}
	for _, root := range []string{"internal/wire", "internal/wire/localwire", "internal/wire/awswire"} {
		visit(root)
	}
	return slices.Sorted(maps.Keys(seen))
}

var fset = token.NewFileSet()

// parsed reads the Go files of a package, tests left out.
func parsed(t *testing.T, dir string, mode parser.Mode) []*ast.File {
	t.Helper()
	names, err := fs.Glob(os.DirFS("../.."), dir+"/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(fset, name, src, mode)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// usesOf finds the codes that a package gives: in calls of fault.New and Newf, in literals of errors, and in
// constants named Code….
func usesOf(t *testing.T, dir string) (found []use) {
	t.Helper()
	files := parsed(t, dir, 0)
	consts := map[string]string{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
				for i := range v.Names {
					if s, ok := literal(v.Values[i]); ok {
						consts[v.Names[i].Name] = s
					}
				}
			}
			return true
		})
	}
	for _, f := range files {
		for _, d := range f.Decls {
			assigned := map[string][]string{} // texts that a function gives to a name
			ast.Inspect(d, func(n ast.Node) bool {
				if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
					for i := range a.Lhs {
						if id, ok := a.Lhs[i].(*ast.Ident); ok {
							if s, ok := literal(a.Rhs[i]); ok {
								assigned[id.Name] = append(assigned[id.Name], s)
							}
						}
					}
				}
				return true
			})
			add := func(e ast.Expr, u use) {
				u.at = fset.Position(e.Pos()).String()
				codes := assigned[nameOf(e)]
				if s, ok := literal(e); ok {
					codes = []string{s}
				} else if s, ok := consts[nameOf(e)]; ok {
					codes = []string{s}
				}
				if len(codes) == 0 && !slices.Contains(computed, fset.Position(e.Pos()).Filename) {
					t.Errorf("%s: this code is not written here: use a literal, or add the file to `computed`", u.at)
				}
				for _, u.code = range codes {
					if u.code != "" {
						found = append(found, u)
					}
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					sel, ok := n.Fun.(*ast.SelectorExpr)
					if ok && nameOf(sel.X) == "fault" && len(n.Args) >= 3 {
						switch sel.Sel.Name {
						case "New":
							add(n.Args[1], use{kind: nameOf(n.Args[0])})
						case "Newf":
							format, ok := literal(n.Args[2])
							if !ok || format == "%s" {
								format = "?"
							}
							add(n.Args[1], use{kind: nameOf(n.Args[0]), format: format, values: len(n.Args) - 3})
						}
					}
					if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "coded" {
						add(n.Args[1], use{kind: nameOf(n.Args[0])})
					} else if ok && id.Name == "notFoundAs" {
						add(n.Args[1], use{kind: "NotFound"})
					}
				case *ast.CompositeLit:
					if name := typeName(n.Type); !slices.Contains([]string{"fault.Error", "problem", "NoFeedError", "HTTPError"}, name) {
						return true
					}
					u := use{}
					for _, e := range n.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok && nameOf(kv.Key) == "Kind" {
							u.kind = nameOf(kv.Value)
						} else if ok && nameOf(kv.Key) == "Message" {
							u.format = "?"
						}
					}
					for _, e := range n.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok && nameOf(kv.Key) == "Code" {
							add(kv.Value, u)
						}
					}
				}
				return true
			})
		}
	}
	if dir == "internal/reader" || dir == "internal/fetch" {
		for name, code := range consts {
			if strings.HasPrefix(name, "Code") {
				found = append(found, use{code: code, at: dir, format: "?"})
			}
		}
	}
	return found
}

func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, okA := literal(e.X)
		b, okB := literal(e.Y)
		return a + b, okA && okB && e.Op == token.ADD
	}
	return "", false
}

// nameOf is the last name of an identifier or selector.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func typeName(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		return nameOf(sel.X) + "." + sel.Sel.Name
	}
	return nameOf(e)
}

var verbs = regexp.MustCompile(`%(?:\[(\d+)\])?[a-z]`)

// valuesOf is how many values a sentence takes.
func valuesOf(s string) int {
	n, most := 0, 0
	for _, m := range verbs.FindAllStringSubmatch(s, -1) {
		if n++; m[1] != "" {
			n, _ = strconv.Atoi(m[1])
		}
		most = max(most, n)
	}
	return most
}

var kanaOrKanji = regexp.MustCompile(`[\p{Hiragana}\p{Katakana}\p{Han}]`)

// TestCodesHaveWords: every code that a request can meet has a sentence and a remedy in both languages, with no
// more values than the errors bring; and there are no words for codes that nobody gives. G-78
func TestCodesHaveWords(t *testing.T) {
	t.Parallel()
	given := map[string]bool{"internal": true, "unknown_field": true, "wrong_type": true, "several_fields": true}
	formats := map[string][]string{}
	for _, dir := range reachable(t) {
		for _, u := range usesOf(t, dir) {
			given[u.code] = true
			if u.kind == "Internal" || slices.Contains(ours, u.code) {
				continue
			}
			w, ok := wordsOf(u.code)
			if !ok {
				t.Errorf("%s: the code %q has no words: add a line to codeWords in words_table.go (words.go says how)", u.at, u.code)
				continue
			}
			if n := max(valuesOf(w.say.en), valuesOf(w.say.ja)); n > u.values {
				t.Errorf("%s: the words of %q take %d values, the error brings %d", u.at, u.code, n, u.values)
			}
			if w.say.en == "" {
				formats[u.code] = append(formats[u.code], u.format)
				if u.format == "" || u.format == "?" {
					t.Errorf("%s: %q has no English sentence, neither here nor in words_table.go", u.at, u.code)
				}
			}
		}
	}
	for code, list := range formats {
		if slices.Sort(list); len(slices.Compact(list)) > 1 {
			t.Errorf("%q is told by several sentences %q: write one in words_table.go", code, list)
		}
	}
	for _, c := range allCodes() {
		w, _ := wordsOf(c)
		if !kanaOrKanji.MatchString(w.say.ja) || w.do.in(japanese) != "" && !kanaOrKanji.MatchString(w.do.ja) {
			t.Errorf("%q lacks its Japanese", c)
		}
		if (w.do.en == "") != (w.do.ja == "") || strings.HasSuffix(w.say.ja, ".") || w.say.en != "" && !strings.HasSuffix(w.say.en, ".") {
			t.Errorf("%q: %+v", c, w)
		}
		if !given[c] && entryWords[c].say.en == "" {
			t.Errorf("%q has words, but no error has this code", c)
		}
	}
	seen := map[string]bool{}
	for _, w := range codeWords {
		if seen[w.code] {
			t.Errorf("%q has words twice", w.code)
		}
		seen[w.code] = true
	}
	for _, c := range ours {
		if !given[c] {
			t.Errorf("%q counts as ours, but no error has this code", c)
		}
	}
}

// TestFeedsFaultsAreBilingual: whatever befalls a feed, and why its next check is when it is. G-46
func TestFeedsFaultsAreBilingual(t *testing.T) {
	t.Parallel()
	for _, code := range reader.FaultCodes() {
		ctx := withSpeech(t.Context(), &speech{language: japanese})
		f := sayFault(ctx, code, "Noted in English.")
		if !kanaOrKanji.MatchString(f.Message) || !kanaOrKanji.MatchString(f.Action) || f.Category == "" || f.Code != code {
			t.Errorf("%s in Japanese: %+v", code, f)
		}
		if f := sayFault(t.Context(), code, ""); f.Message != reader.FaultOf(code).Message {
			t.Errorf("%s in English: %+v", code, f)
		}
	}
	if f := sayFault(withSpeech(t.Context(), &speech{language: japanese}), "of_tomorrow", ""); f.Code != "of_tomorrow" || !kanaOrKanji.MatchString(f.Message) {
		t.Errorf("an unknown code: %+v", f)
	}
	for _, code := range scheduleReasons(t) {
		if !kanaOrKanji.MatchString(reasonWords[code]) || schedule.ReasonOf(code).Code != code {
			t.Errorf("the reason %q lacks words", code)
		}
	}
	for code := range reasonWords {
		if !slices.Contains(scheduleReasons(t), code) {
			t.Errorf("there is no reason %q", code)
		}
	}
	for _, code := range []string{opml.NoAddress, opml.BadAddress, opml.Commented, opml.Included, opml.OverLimit} {
		if s := say(withSpeech(t.Context(), &speech{language: japanese}), code, "x"); !kanaOrKanji.MatchString(s) {
			t.Errorf("an entry's %q: %s", code, s)
		}
	}
}

// TestJapaneseIsWrittenOneWay: the same word and the same brackets in every sentence. The page's catalogs are held to
// the same by web/src/i18n/catalogs.test.ts. G-78
func TestJapaneseIsWrittenOneWay(t *testing.T) {
	t.Parallel()
	otherwise := regexp.MustCompile(`ブラウザー|[()]`)
	found := 0
	for _, f := range parsed(t, "internal/api", 0) {
		ast.Inspect(f, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if s, ok := literal(e); ok && kanaOrKanji.MatchString(s) {
				found++
				if otherwise.MatchString(s) {
					t.Errorf("%q: write ブラウザ, and brackets as （）", s)
				}
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("only %d Japanese sentences were found", found)
	}
}

func scheduleReasons(t *testing.T) (out []string) {
	t.Helper()
	for _, f := range parsed(t, "internal/schedule", 0) {
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Reason") && len(v.Values) == 1 {
				if s, ok := literal(v.Values[0]); ok {
					out = append(out, s)
				}
			}
			return true
		})
	}
	if len(out) < 10 {
		t.Fatalf("found only the reasons %q", out)
	}
	return out
}

func allCodes() []string {
	all := maps.Clone(feedWords)
	maps.Copy(all, entryWords)
	for _, w := range codeWords {
		all[w.code] = w
	}
	return slices.Sorted(maps.Keys(all))
}

// TestCodesAreDocumented holds docs/api.md to the words. G-78, G-79
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../docs/api.md", "<!-- codes: written by go test ./internal/api -run TestCodes -update -->\n", "<!-- end of codes -->\n"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/api.md lost the marks around its table of codes")
	}
	table := codesTable(t)
	want := head + begin + table + end + tail
	written, _, _ := strings.Cut(rest, end)
	// Lines may stand in another order: two who added codes at once merge without a conflict.
	if slices.Equal(sortedLines(written), sortedLines(table)) {
		return
	}
	if !*update {
		t.Fatal("docs/api.md is behind the codes: go test ./internal/api -run TestCodes -update")
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sortedLines(s string) []string { return slices.Sorted(strings.Lines(s)) }

func codesTable(t *testing.T) string {
	t.Helper()
	kindOf, said := map[string]string{}, map[string]string{}
	for _, dir := range reachable(t) {
		for _, u := range usesOf(t, dir) {
			if u.kind != "" && u.kind != "Internal" {
				kindOf[u.code] = u.kind
			}
			if u.format != "" && u.format != "?" {
				said[u.code] = u.format
			}
		}
	}
	byName := map[string]fault.Kind{}
	for k := fault.Internal; k <= fault.Cancelled; k++ {
		byName[strings.ReplaceAll(k.String(), "_", "")] = k
	}
	var b strings.Builder
	b.WriteString("\n| code | status | category | message | action |\n| --- | --- | --- | --- | --- |\n")
	for _, code := range allCodes() {
		if _, isEntry := entryWords[code]; isEntry {
			continue
		}
		w, _ := wordsOf(code)
		e := &fault.Error{Kind: fault.Invalid, Code: code} // a feed's faults have no kind of their own
		if kind, ok := byName[strings.ToLower(kindOf[code])]; ok {
			e.Kind = kind
		}
		if code == "internal" {
			e.Kind = fault.Internal
		}
		p := byKind(e, english)
		message := w.say.en
		if message == "" {
			message = said[code]
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s<br>%s | %s<br>%s |\n", code, p.status, p.Category,
			verbs.ReplaceAllString(message, "…"), verbs.ReplaceAllString(w.say.ja, "…"), p.Action, byKind(e, japanese).Action)
	}
	b.WriteString("\nWhat a feed's `error` says (its code, category, message and remedy), kept with the feed and told with it:\n\n| code | category | message | action |\n| --- | --- | --- | --- |\n")
	for _, code := range reader.FaultCodes() {
		en := sayFault(t.Context(), code, "")
		ja := sayFault(withSpeech(t.Context(), &speech{language: japanese}), code, "")
		fmt.Fprintf(&b, "| `%s` | %s | %s<br>%s | %s<br>%s |\n", code, en.Category, en.Message, ja.Message, en.Action, ja.Action)
	}
	b.WriteString("\nWhy an entry of an imported list was left out, beside the codes above:\n\n| code | message | action |\n| --- | --- | --- |\n")
	for _, code := range slices.Sorted(maps.Keys(entryWords)) {
		w := entryWords[code]
		fmt.Fprintf(&b, "| `%s` | %s<br>%s | %s<br>%s |\n", code, w.say.en, w.say.ja, w.do.en, w.do.ja)
	}
	b.WriteString("\nWhy a feed's next check is when it is (`nextCheckReason`):\n\n| code | message |\n| --- | --- |\n")
	for _, code := range slices.Sorted(maps.Keys(reasonWords)) {
		fmt.Fprintf(&b, "| `%s` | %s<br>%s |\n", code, schedule.ReasonOf(code).Message, reasonWords[code])
	}
	b.WriteString("\n")
	return b.String()
}
