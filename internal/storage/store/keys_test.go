package store

import (
	"crypto/sha256"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

// keysOfKind gives a key by each function of keys.go.
var keysOfKind = map[string]table.Key{
	"feedKey": feedKey(7), "deltaKey": deltaKey(7, 1), "subscriberKey": subscriberKey(7, "u"),
	"urlKey":   urlKey("http://x/"),
	"leaseKey": leaseKey(0), "runKey": runKey(1, 0, ""), "subscriptionKey": subscriptionKey("u", 7),
	"starKey":    starKey("u", 1),
	"accountKey": accountKey("u"), "emailKey": emailKey("a@b"), "tokenKey": tokenKey("h"), "linkKey": linkKey("u"),
	"counterKey": counterKey("h"), "feverKey": feverKey("h"),
	"cacheKey": cacheKey("h"), "systemKey": systemKey("feeds"),
	"identityKey": identityKey("u", "h"), "identityOfKey": identityOfKey("h"), "passkeyKey": passkeyKey("u", "h"),
	"sessionKey": sessionKey("u", "s"), "tokenOfKey": tokenOfKey("u", "t"), "settingsKey": settingsKey("u", "tree"),
	"importKey": importKey("u", "i", "1"), "labelKey": labelKey("u", 1, 2), "webhookKey": webhookKey("u", "h"),
	"noticesKey": noticesKey("u"), "deviceKey": deviceKey("u", "d"),
	"hubKey": hubKey(1), "leftKey": leftKey("u", 7), "positionsKey": positionsKey("u"),
	"searchKey": searchKey(), "cycleKey": cycleKey(1), "useKey": useKey(1),
	"watchKey": watchKey(7), "changesKey": changesKey(7, 1, 2, 3), "baseKey": baseKey(7, 1, 2),
	"historyKey": historyKey(7, "2026-11"), "tokensKey": tokensKey("u", time.Unix(0, 0)),
}

// systemNames are the rows of the one partition SYS.
var systemNames = []string{"formatName", "feeds", "owner", "secret", "once#", "transferName", "searchName", "siteName",
	"invitePrefix", "adapterPrefix", "budgetName"}

// TestEveryKeyHasItsKind reads keys.go: a new row kind must be named by Kind and Kinds, so that whoever decides
// about each kind (internal/transfer does) is made to decide about it too.
// R-44, C-9
// M-2
func TestEveryKeyHasItsKind(t *testing.T) {
	t.Parallel()
	tree, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"transfer": true}
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
			continue
		}
		sel, ok := f.Type.Results.List[0].Type.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Key" {
			continue
		}
		key, known := keysOfKind[f.Name.Name]
		if !known {
			t.Errorf("%s makes a kind of key that this test does not know", f.Name.Name)
			continue
		}
		if kind := Kind(key); !slices.Contains(Kinds(), kind) {
			t.Errorf("%s makes a key of the kind %q, which Kinds does not name", f.Name.Name, kind)
		} else {
			seen[kind] = true
		}
	}
	for _, kind := range Kinds() {
		if !seen[kind] {
			t.Errorf("no function of keys.go makes a key of the kind %q", kind)
		}
	}
}

// TestEveryBlobPrefixIsListed reads keys.go: a new prefix must be one of BlobPrefixes, so that internal/transfer is
// made to decide about it.
func TestEveryBlobPrefixIsListed(t *testing.T) {
	t.Parallel()
	tree, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(tree, func(node ast.Node) bool {
		c, ok := node.(*ast.ValueSpec)
		if !ok || len(c.Values) != 1 || !strings.HasSuffix(c.Names[0].Name, "Prefix") {
			return true
		}
		lit, ok := c.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		if value, _ := strconv.Unquote(lit.Value); strings.HasSuffix(value, "/") {
			if n++; !slices.Contains(BlobPrefixes(), value) {
				t.Errorf("%s is none of BlobPrefixes", c.Names[0].Name)
			}
		}
		return true
	})
	if n != len(BlobPrefixes()) {
		t.Errorf("%d prefixes, and %d are listed", n, len(BlobPrefixes()))
	}
}

// TestSystemRowsAreKnown reads the package: whoever adds a row to SYS must know that a copy takes it along.
func TestSystemRowsAreKnown(t *testing.T) {
	t.Parallel()
	//nolint:staticcheck // file by file is all that is wanted
	pkgs, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range pkgs["store"].Files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "systemKey" {
				return true
			}
			arg := call.Args[0]
			if b, ok := arg.(*ast.BinaryExpr); ok {
				arg = b.X
			}
			what := ""
			switch a := arg.(type) {
			case *ast.BasicLit:
				what, _ = strconv.Unquote(a.Value)
			case *ast.Ident:
				what = a.Name
			}
			if !slices.Contains(systemNames, what) {
				t.Errorf("%s has a system row %q; copies and backups take it along: is that right?", name, what)
			}
			return true
		})
	}
}

// TestRawKeysHoldWholeHashes: eight characters of a hash would make two feeds or two bodies one.
// R-119, C-9
func TestRawKeysHoldWholeHashes(t *testing.T) {
	t.Parallel()
	content := sha256.Sum256([]byte("body"))
	got := RawKey(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), "https://example.org/feed", content[:], "gz")
	want := "feeds/2026/03/04/09157359a856586cf9c5a7c075bd37ed33f4504ca30bcdd9e79e234f708a1c4d/" +
		"230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5.gz"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if k := urlKey("https://example.org/feed"); len(k.PK) != len("URL#")+64 {
		t.Errorf("the key of an address is %s", k.PK)
	}
}
