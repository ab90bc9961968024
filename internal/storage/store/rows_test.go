package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// Rows hold strings, integers, floats, bytes, booleans and flat lists: what both engines store alike, and what a packed
// row decodes fast.
func TestRowTypes(t *testing.T) {
	t.Parallel()
	allowed := map[string]bool{
		"string": true, "int": true, "int32": true, "int64": true, "uint16": true, "uint32": true,
		"float64": true, "bool": true,
		"[]byte": true, "[]string": true, "[]int": true, "[]int32": true, "[]int64": true,
		"Ages": true, "[]reader.FolderID": true, // bytes, and a list of numbers
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			row, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range row.Fields.List {
				if f.Tag == nil || !strings.Contains(f.Tag.Value, `dynamo:"`) || f.Tag.Value == "`dynamo:\"-\"`" {
					continue
				}
				fields++
				field, typ := spec.Name.Name+"."+f.Names[0].Name, types.ExprString(f.Type)
				if !allowed[typ] {
					t.Errorf("%s: %s is %s, which rows do not hold", name, field, typ)
				}
			}
			return true
		})
	}
	if fields < 150 {
		t.Errorf("found %d fields of rows: the test does not see them", fields)
	}
}
