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

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

var update = flag.Bool("update", false, "write docs/use/codes.md")

const module = "github.com/ruri-reader/ruri/"

// use is one place where an error gets its code.
type use struct {
	code, kind string
	values     int // that the error brings for its text
	at         string
}

// computed are places whose code is not written there. What they can give is written elsewhere, and found there.
var computed = []string{
	// an error of a driver, with an operation around it
	"internal/storage/blob/blob.go", "internal/storage/queue/queue.go",
	// a code of package reader
	"internal/crawl/adopt.go",
	// tables of codes
	"internal/content/fetch/errors.go", "internal/api/errors.go", "internal/subscribe/add.go",
	"internal/subscribe/search.go",
	"internal/storage/store/rows.go", // get: its callers name the code
	"internal/wire/awswire/parameters.go",
}

// reachable lists the folders of the packages that the wired reader is made of.
func reachable(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] || strings.HasPrefix(dir, "internal/assets/cost") || strings.HasPrefix(dir, "internal/transfer") {
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

// usesOf finds the codes that a package gives: in calls of fault.New, Newf and Coded and of store.Retry, in literals of
// errors, and in constants named Code….
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
					if ok && nameOf(sel.X) == "fault" && len(n.Args) >= 2 {
						switch sel.Sel.Name {
						case "New", "Newf":
							add(n.Args[1], use{kind: nameOf(n.Args[0])})
						case "Coded":
							add(n.Args[1], use{kind: nameOf(n.Args[0]), values: len(n.Args) - 2})
						}
					}
					if name := typeName(n.Fun); name == "store.Retry" || name == "Retry" &&
						dir == "internal/storage/store" {
						add(n.Args[0], use{kind: "Unavailable"})
					}
					if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "coded" {
						add(n.Args[1], use{kind: nameOf(n.Args[0])})
					}
					// get of rows.go
					if index, ok := n.Fun.(*ast.IndexExpr); ok && nameOf(index.X) == "get" && len(n.Args) > 3 {
						add(n.Args[3], use{kind: "NotFound"})
					}
				case *ast.CompositeLit:
					if name := typeName(n.Type); !slices.Contains([]string{"fault.Error", "problem", "NoFeedError",
						"HTTPError"}, name) {
						return true
					}
					u := use{}
					for _, e := range n.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok && nameOf(kv.Key) == "Kind" {
							u.kind = nameOf(kv.Value)
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
	if dir == "internal/reader" || dir == "internal/content/fetch" {
		for name, code := range consts {
			if strings.HasPrefix(name, "Code") {
				found = append(found, use{code: code, at: dir})
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

// TestCodesHaveTexts: every code that a request can get has a message and an action in both languages, with no
// more values than the errors bring; and there are no texts of unused codes. G-78
func TestCodesHaveTexts(t *testing.T) {
	t.Parallel()
	given := map[string]bool{"internal": true, "unknown_field": true, "wrong_type": true, "several_fields": true,
		signInFailed: true}
	for _, dir := range reachable(t) {
		for _, u := range usesOf(t, dir) {
			given[u.code] = true
			if u.kind == "Internal" || slices.Contains(internalCodes, u.code) {
				continue
			}
			w, ok := texts.Of(u.code)
			if !ok {
				t.Errorf("%s: the code %q has no text: add a line to internal/fault/texts/errors.go (texts.go "+
					"explains how)", u.at, u.code)
				continue
			}
			if en, ja := valuesOf(w.Message.En), valuesOf(w.Message.Ja); en > u.values || ja > u.values {
				t.Errorf("%s: the texts of %q take %d and %d values, the error brings %d", u.at, u.code,
					en, ja, u.values)
			}
		}
	}
	for _, c := range allCodes() {
		if !given[c] && !isOfEntriesAlone(c) {
			t.Errorf("%q has a text, but no error has this code", c)
		}
	}
	for c := range outcomes {
		if _, ok := texts.Errors[c]; !ok {
			t.Errorf("%q has an outcome, but no text", c)
		}
	}
	for _, c := range internalCodes {
		if !given[c] {
			t.Errorf("%q is an internal code, but no error has it", c)
		}
	}
}

// TestFeedTexts: why a feed fails, and why its next check is when it is. G-46
func TestFeedTexts(t *testing.T) {
	t.Parallel()
	for _, code := range append(reader.FaultCodes(), "of_tomorrow") {
		if f := feedFault(texts.Japanese, code, 0); f.Message != texts.Feed(code).Message.Ja || f.Category == "" ||
			f.Code != code {
			t.Errorf("%s in Japanese: %+v", code, f)
		}
		if f := feedFault(texts.English, code, 0); f.Message != texts.Feed(code).Message.En {
			t.Errorf("%s in English: %+v", code, f)
		}
	}
	if got, want := slices.Sorted(maps.Keys(texts.Checks)),
		scheduleReasons(t); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("texts of the reasons %q, want %q", got, want)
	}
	for _, code := range []string{opml.NoAddress, opml.BadAddress, opml.Commented, opml.Included, opml.OverLimit,
		"subscription_limit", "timeout"} {
		f := importFailure(&store.ImportFailure{Code: code}, texts.Japanese)
		if f.Message != texts.Entry(code).Message.Ja || f.Message == "" || strings.Contains(f.Message, "%") {
			t.Errorf("an entry's %q: %s", code, f.Message)
		}
	}
	whys := []string{subscribe.NamedUnreadable, subscribe.NamedNoFeed, subscribe.SearchTooSlow, subscribe.NowhereElse,
		discover.Nothing, discover.List, discover.SiteMap, discover.BrokenFeed, discover.PDF, discover.Picture,
		discover.Recording, discover.Data, discover.PlainText, discover.OtherFile}
	slices.Sort(whys)
	if got := slices.Sorted(maps.Keys(texts.NoFeeds)); !slices.Equal(got, whys) {
		t.Errorf("texts of %q, want those of %q", got, whys)
	}
	for _, code := range []string{
		string(fulltext.Robots), string(fulltext.Empty), string(fulltext.Failed), fulltext.CodeNoLink,
		fulltext.CodeNotHTML, fulltext.CodeTooHeavy,
	} {
		if texts.FullTexts[code].En == "" {
			t.Errorf("%q has no text", code)
		}
	}
}

// TestSignInErrorsNeedNoValues: the log-in page asks for their texts by code alone. G-46
func TestSignInErrorsNeedNoValues(t *testing.T) {
	t.Parallel()
	for _, code := range append(slices.Clone(signInErrors), signInFailed) {
		w, ok := texts.Of(code)
		if !ok || valuesOf(w.Message.En)+valuesOf(w.Message.Ja) > 0 {
			t.Errorf("%s: %+v", code, w)
		}
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

// allCodes lists the codes of all errors, sorted.
func allCodes() []string {
	var all []string
	for _, table := range []map[string]texts.Texts{texts.Errors, texts.Sites, texts.Feeds, texts.Entries} {
		all = slices.AppendSeq(all, maps.Keys(table))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// isOfEntriesAlone reports whether a code is only given to entries of an OPML file.
func isOfEntriesAlone(code string) bool {
	_, isEntry := texts.Entries[code]
	_, isError := texts.Errors[code]
	return isEntry && !isError
}

// codesHead begins the page of codes.
const codesHead = "# Codes\n\n" +
	"The codes of errors and other states, with their texts ([the API](api.md#errors) explains them). Each cell has the " +
	"English\ntext above the Japanese; `…` stands for a value. A status without a line here has the code " +
	"`http_…`,\nand the texts of `http_other` with its number. Written by " +
	"`go test ./internal/api -run TestCodes -update`.\n"

// TestCodesAreDocumented checks that docs/use/codes.md lists the texts. G-78, G-79
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	const file = "../../docs/use/codes.md"
	old, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := codesHead + codesTable(t)
	// Lines may stand in another order: two who added codes at once merge without a conflict.
	if slices.Equal(sortedLines(string(old)), sortedLines(want)) {
		return
	}
	if !*update {
		t.Fatal("docs/use/codes.md is behind the codes: go test ./internal/api -run TestCodes -update")
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sortedLines(s string) []string { return slices.Sorted(strings.Lines(s)) }

func codesTable(t *testing.T) string {
	t.Helper()
	kindOf := map[string]string{}
	for _, dir := range reachable(t) {
		for _, u := range usesOf(t, dir) {
			if u.kind != "" && u.kind != "Internal" {
				kindOf[u.code] = u.kind
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
		if isOfEntriesAlone(code) {
			continue
		}
		w, _ := texts.Of(code)
		e := &fault.Error{Kind: fault.Invalid, Code: code} // a feed's faults have no kind of their own
		if kind, ok := byName[strings.ToLower(kindOf[code])]; ok {
			e.Kind = kind
		}
		if code == "internal" {
			e.Kind = fault.Internal
		}
		p := byKind(e, texts.English)
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s<br>%s | %s<br>%s |\n", code, p.status, p.Category,
			verbs.ReplaceAllString(w.Message.En, "…"), verbs.ReplaceAllString(w.Message.Ja, "…"), p.Action,
			byKind(e, texts.Japanese).Action)
	}
	b.WriteString("\nWhy a feed fails (its `error`):\n\n| code | category | message | action |\n| --- | --- | --- | " +
		"--- |\n")
	for _, code := range reader.FaultCodes() {
		en, ja := feedFault(texts.English, code, 0), feedFault(texts.Japanese, code, 0)
		fmt.Fprintf(&b, "| `%s` | %s | %s<br>%s | %s<br>%s |\n", code, en.Category, en.Message, ja.Message,
			en.Action, ja.Action)
	}
	b.WriteString("\nWhy an entry of an OPML file was not imported, besides the codes above:\n\n| code | message | " +
		"action |\n| --- | --- | --- |\n")
	for _, code := range slices.Sorted(maps.Keys(texts.Entries)) {
		w := texts.Entries[code]
		fmt.Fprintf(&b, "| `%s` | %s<br>%s | %s<br>%s |\n", code, w.Message.En, w.Message.Ja, w.Action.En, w.Action.Ja)
	}
	b.WriteString("\nWhy a feed's next check is when it is (`nextCheckReason`):\n\n| code | message |\n| --- | --- |\n")
	reasons := scheduleReasons(t)
	slices.Sort(reasons)
	for _, code := range reasons {
		message := texts.Check(code)
		fmt.Fprintf(&b, "| `%s` | %s<br>%s |\n", code, message.En, message.Ja)
	}
	b.WriteString("\n")
	return b.String()
}
