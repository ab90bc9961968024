package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestColumnNamesAreKnownToStoreAlone: a change of a row is a struct everywhere but in store, which finds the columns
// that differ. So no other package may name columns in conditions or updates of the table.
func TestColumnNamesAreKnownToStoreAlone(t *testing.T) {
	t.Parallel()
	columns := storeColumns(t)
	if len(columns) < 100 || !columns["movedTo"] || !columns["folders"] {
		t.Fatalf("%d columns were found in store", len(columns))
	}
	if found := columnUses(t, "sample.go", sampleOfColumns, columns); len(found) != 4 {
		t.Errorf("of the 4 columns that the sample names, these are found: %q", found)
	}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || knowsColumns.MatchString(path) {
			return err
		}
		for _, use := range columnUses(t, path, nil, columns) {
			t.Errorf("%s: change a copy of the row's struct instead", use)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// knowsColumns are store itself, the seam below it with its drivers, and the tests of these.
var knowsColumns = regexp.MustCompile(`^(storage/|testkit/(tabletest|faultytable|memtable|doubles|rehearse)/` +
	`|columns_test\.go)`)

const sampleOfColumns = `package sample

var p = store.Patch{"movedTo": "", "title": t}
var u = table.Update{Set: map[string]any{"folders": f}, Remove: []string{"muted"}, If: []table.Cond{table.IfEqual("seq", 1)}}
var other = map[string]any{"movedBy": 1}
`

// columnUses lists where a file names columns: as a key of a patch, in an update of the table, or in a condition.
func columnUses(t *testing.T, path string, src any, columns map[string]bool) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var uses []string
	literals := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if name, err := strconv.Unquote(lit.Value); err == nil && columns[name] {
				uses = append(uses, fset.Position(lit.Pos()).String()+" names the column "+name)
			}
			return true
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			switch name := selected(n.Type, "table", "store"); {
			case name == "Update" || name == "Cond":
				literals(n)
				return false
			case name == "Patch":
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						literals(kv.Key)
					}
				}
			}
		case *ast.CallExpr:
			if strings.HasPrefix(selected(n.Fun, "table"), "If") && len(n.Args) > 0 {
				literals(n.Args[0])
			}
		}
		return true
	})
	return uses
}

// selected gives the name that an expression selects from one of some packages.
func selected(e ast.Expr, packages ...string) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	for _, p := range packages {
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == p {
			return sel.Sel.Name
		}
	}
	return ""
}

// storeColumns reads the columns of all rows from the tags in store.
func storeColumns(t *testing.T) map[string]bool {
	t.Helper()
	columns := map[string]bool{}
	files, err := filepath.Glob("storage/store/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && f.Tag != nil {
				tag, _ := strconv.Unquote(f.Tag.Value)
				name, _, _ := strings.Cut(reflect.StructTag(tag).Get("dynamo"), ",")
				columns[name] = name != ""
			}
			return true
		})
	}
	return columns
}
