// Package internal_test holds the map of the packages to its word: who may import whom, and which doors to the
// outside (network, environment, time, AWS) are the only ones. docs/develop/architecture.md explains the map; each
// failure here says which rule was broken and what to do instead.
package internal_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/ruri-reader/ruri"

// layer is a set of packages with the layers they may import. Packages are named below the module, "x/*" stands for
// what lies directly under x. mayUse names layers; a layer whose packages may use each other names itself.
type layer struct {
	name     string
	packages []string
	mayUse   []string
	why      string
}

// layers from the bottom up. A package belongs to the first layer that names it.
var layers = []layer{
	{
		name: "vocabulary",
		packages: []string{"internal/reader", "internal/fault", "internal/fault/texts", "internal/clock",
			"internal/lru", "internal/telemetry/*"},
		mayUse: []string{"vocabulary"},
		why:    "everything may import the vocabulary, so it imports nothing of ours",
	},
	{
		name:     "assets",
		packages: []string{"docs", "docs/help", "web", "internal/assets/*", "internal/config"},
		mayUse:   []string{"assets", "vocabulary"},
		why:      "embedded files and settings know no domain package",
	},
	{
		name: "values",
		packages: []string{"internal/content/*", "internal/schedule", "internal/watch", "internal/job",
			"internal/library", "internal/library/rules", "internal/auth/webauthn", "internal/auth/oidc",
			"internal/search/query", "internal/search/segment"},
		mayUse: []string{"values", "vocabulary"},
		why:    "these take bytes and numbers and return values; they store nothing (library is handed what stores)",
	},
	{
		name: "storage seams",
		packages: []string{"internal/storage/table", "internal/storage/table/rowenc",
			"internal/storage/blob", "internal/storage/queue"},
		mayUse: []string{"storage seams", "vocabulary"},
		why: "a seam is a portable type over a driver that is passed in; it knows neither drivers nor domain " +
			"packages",
	},
	{
		name:     "store",
		packages: []string{"internal/storage/store", "internal/search/texts"},
		mayUse:   []string{"store", "values", "storage seams", "vocabulary"},
		why:      "the typed stores, and what reads texts of items, are written once over the seams",
	},
	{
		name:     "part of a domain package",
		packages: []string{"internal/crawl/pages"},
		mayUse:   []string{"store", "values", "storage seams", "vocabulary"},
		why:      "the crawler of pages is called by that of feeds, which gives it the little that both share",
	},
	{ // before "domain", which has the other packages of crawl
		name:     "bill",
		packages: []string{"internal/crawl/budget"},
		mayUse:   []string{"store", "values", "storage seams", "assets", "vocabulary"},
		why:      "the guard of the bill computes with the table of prices; what follows from it is told by functions",
	},
	{
		name: "domain",
		packages: []string{
			"internal/crawl", "internal/crawl/*", "internal/stream", "internal/subscribe", "internal/auth",
			"internal/takeout",
			"internal/cleanup", "internal/webhook", "internal/transfer", "internal/search", "internal/search/indexing",
			"internal/popular", "internal/popular/usage", "internal/stream/assist",
		},
		mayUse: []string{"part of a domain package", "store", "values", "storage seams", "vocabulary"},
		why: "domain packages know each other only through values: share by internal/reader, internal/job or an " +
			"interface that the user declares",
	},
	{
		name: "clients",
		packages: []string{"internal/clients", "internal/clients/*", "internal/search/find", "internal/popular/explore",
			"internal/watching", "internal/takeout/movein", "internal/webhook/push"},
		mayUse: []string{"clients", "domain", "store", "values", "storage seams", "vocabulary"},
		why: "the APIs of native clients turn requests of other readers' dialects into calls of domain " +
			"packages, and find puts searches together from them; the API uses both",
	},
	{
		name:     "api",
		packages: []string{"internal/api"},
		mayUse: []string{"api", "clients", "bill", "domain", "store", "values", "storage seams", "assets",
			"vocabulary"},
		why: "the API turns requests into calls of domain packages; drivers are wired elsewhere",
	},
	{
		name:     "worker",
		packages: []string{"internal/worker"},
		mayUse:   []string{"domain", "store", "values", "storage seams", "vocabulary"},
		why:      "the worker hands each message to the domain package of its kind; drivers are wired elsewhere",
	},
	// Before wire/*.
	{
		name:     "lambda",
		packages: []string{"internal/wire/lambda"},
		mayUse: []string{"wire", "worker", "api", "clients", "domain", "store", "values", "storage seams",
			"assets", "vocabulary"},
		why: "lambda hands AWS's events to what wire built; drivers are wire's business",
	},
	{
		name:     "wire",
		packages: []string{"internal/wire", "internal/wire/*"},
		mayUse: []string{"wire", "worker", "api", "clients", "bill", "domain", "store", "values", "storage seams",
			"drivers", "assets", "vocabulary"},
		why: "wire puts the parts together; only programs, Lambda's handlers and the command line stand above it",
	},
	{
		name:     "command line",
		packages: []string{"internal/cli"},
		mayUse: []string{"wire", "worker", "api", "clients", "domain", "store", "values", "storage seams",
			"assets", "vocabulary"},
		why: "the command line uses what wire built; drivers are wire's business",
	},
	{
		name:     "programs",
		packages: []string{"cmd/*", "functions/*"},
		mayUse:   []string{"command line", "lambda", "wire", "api", "assets", "vocabulary"},
		why:      "a main is a few lines: read settings, wire, run",
	},
	// Last, so that rowenc belongs to the seam.
	{
		name:     "drivers",
		packages: []string{"internal/storage/table/*", "internal/storage/blob/*", "internal/storage/queue/*"},
		mayUse:   []string{"storage seams", "vocabulary"},
		why:      "drivers implement a seam; only wire and tests import them",
	},
}

// testSupport is what only tests import, or nobody: conformance suites, fixtures, doubles, and the programs that
// measure.
func testSupport(pkg string) bool {
	return strings.HasPrefix(pkg, "internal/testkit/") || pkg == "internal"
}

// shipsFromTestkit is the one exception: `ruri cost` simulates a day.
func shipsFromTestkit(pkg, used string) bool {
	return pkg == "cmd/ruri" && used == "internal/testkit/simulate"
}

func layerOf(pkg string) *layer {
	for i, l := range layers {
		for _, pattern := range l.packages {
			dir, isUnder := strings.CutSuffix(pattern, "/*")
			if pkg == pattern || isUnder && filepath.ToSlash(filepath.Dir(pkg)) == dir {
				return &layers[i]
			}
		}
	}
	return nil
}

// R-5, G-3, G-82
// M-22, M-24
func TestImportDirection(t *testing.T) {
	t.Parallel()
	for _, pkg := range packages(t) {
		if testSupport(pkg.name) {
			continue
		}
		own := layerOf(pkg.name)
		if own == nil {
			t.Errorf("%s has no place on the map: name its layer in internal/arch_test.go and in docs/develop/architecture.md",
				pkg.name)
			continue
		}
		for _, path := range pkg.Imports {
			used, ours := strings.CutPrefix(path, module+"/")
			if !ours {
				continue
			}
			if testSupport(used) && !shipsFromTestkit(pkg.name, used) {
				t.Errorf("%s imports %s, which is for tests only", pkg.name, used)
				continue
			}
			if to := layerOf(used); to != nil && !slices.Contains(own.mayUse, to.name) {
				t.Errorf("%s (%s) imports %s (%s), but may use only %s: %s",
					pkg.name, own.name, used, to.name, strings.Join(own.mayUse, ", "), own.why)
			}
		}
	}
}

// A newcomer reads the names at the top of internal first: what is part of another thing stands under it.
func TestFewNamesAtTheTop(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) > 30 {
		t.Errorf("%d names, at most 30 are wanted: %s", len(names), strings.Join(names, " "))
	}
}

// outside are packages from outside that belong behind one door. The first rule whose prefix fits decides.
var outside = []struct {
	prefix string
	only   []string // packages of ours; "x/" stands for all below x
	why    string
}{
	{
		"github.com/aws/aws-sdk-go-v2/service/dynamodb/types",
		[]string{"internal/storage/table", "internal/storage/table/", "internal/wire/backend"},
		"the attribute value is the table's row format; rows leave the seam as structs of the store",
	},
	{
		"github.com/guregu/dynamo",
		[]string{"internal/storage/table", "internal/storage/table/dynamotable"},
		"guregu/dynamo is the table's codec and the DynamoDB driver's client, nobody else's",
	},
	{
		"github.com/aws/aws-sdk-go-v2",
		[]string{"internal/storage/table/dynamotable", "internal/storage/blob/s3blob",
			"internal/storage/queue/sqsqueue", "internal/wire/lambda", "internal/wire/awswire",
			"internal/wire/backend"},
		"the AWS SDK stays behind the seams, or the single binary pays for it",
	},
	{
		"github.com/aws/smithy-go",
		[]string{"internal/storage/table/dynamotable", "internal/storage/blob/s3blob",
			"internal/storage/queue/sqsqueue", "internal/wire/lambda", "internal/wire/awswire",
			"internal/wire/backend"},
		"the AWS SDK stays behind the seams, or the single binary pays for it",
	},
	{
		"github.com/aws/aws-lambda-go", []string{"internal/wire/lambda", "functions/"},
		"only package lambda knows Lambda's events and runtime",
	},
	{
		"github.com/awslabs/aws-lambda-go-api-proxy", []string{"internal/wire/lambda", "functions/"},
		"only package lambda knows Lambda's events and runtime",
	},
	{
		"github.com/spf13", []string{"internal/cli"},
		"the library of the command line stays out of the functions",
	},
	{"unsafe", nil, "nothing here is worth memory that the compiler does not check"},
	{
		"modernc.org/sqlite", []string{"internal/storage/table/sqlitetable", "internal/storage/queue/sqlitequeue"},
		"SQLite is an embedded driver's secret",
	},
	{
		"database/sql", []string{"internal/storage/table/sqlitetable", "internal/storage/queue/sqlitequeue"},
		"SQL is an embedded driver's secret",
	},
	{
		"github.com/mmcdole/gofeed", []string{"internal/content/parse", "internal/content/extract"},
		"full parsing happens in parse, and in extract as its fallback",
	},
	{
		"golang.org/x/image", []string{"internal/content/favicon"},
		"images of strangers are decoded in favicon, which checks their size first",
	},
	{
		"github.com/coreos/go-oidc", []string{"internal/auth/oidc"},
		"ID tokens are verified in auth/oidc, which adds the checks that the library leaves to its caller",
	},
	{
		"github.com/fxamacker/cbor", []string{"internal/auth/webauthn"},
		"CBOR is the format of authenticators; our own formats are JSON and the table's rows",
	},
	{
		"github.com/microcosm-cc/bluemonday", []string{"internal/content/sanitize"},
		"one allow-list, in sanitize: a second would disagree with it",
	},
}

func TestOutsidePackagesHaveOneDoor(t *testing.T) {
	t.Parallel()
	for _, pkg := range packages(t) {
		if testSupport(pkg.name) {
			continue
		}
		for _, path := range pkg.Imports {
			for _, rule := range outside {
				if path != rule.prefix && !strings.HasPrefix(path, rule.prefix+"/") {
					continue
				}
				if !allowed(pkg.name, rule.only) {
					t.Errorf("%s imports %s, which only %s may: %s", pkg.name, path,
						strings.Join(rule.only, ", "), rule.why)
				}
				break
			}
		}
	}
}

// doors are identifiers of the standard library that only the named packages use in code that ships.
var doors = []struct {
	path  string
	names []string
	only  []string
	why   string
}{
	{
		"net/http", []string{"Client", "Transport", "Get", "Head", "Post", "PostForm", "DefaultClient",
			"DefaultTransport"},
		// oidc is handed the guarded client, whose type oauth2 names
		[]string{"internal/content/fetch", "internal/auth", "internal/auth/oidc"},
		"requests to strangers go through internal/content/fetch and its guard, which checks addresses at connect time",
	},
	{
		"net", []string{"Dial", "DialTimeout", "Dialer", "DialTCP", "DialUDP", "DialIP"},
		[]string{"internal/content/fetch"},
		"connections to strangers go through internal/content/fetch and its guard, which checks addresses at connect " +
			"time",
	},
	{
		"os", []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"},
		[]string{"internal/config", "cmd/", "functions/"}, // a main hands the environment to internal/config
		"settings are read in internal/config alone, and handed on as values",
	},
	{
		"time", []string{"Now", "Since", "Until"},
		[]string{"internal/clock"},
		"time is read through internal/clock, so that tests turn it by hand",
	},
}

func TestDoorsToTheWorld(t *testing.T) {
	t.Parallel()
	for _, pkg := range packages(t) {
		if testSupport(pkg.name) {
			continue
		}
		for _, name := range pkg.GoFiles {
			file := filepath.Join(pkg.Dir, name)
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Errorf("%v", err) // go build says it better, and fails too
				continue
			}
			for _, door := range doors {
				if allowed(pkg.name, door.only) {
					continue
				}
				for _, use := range usesOf(tree, door.path, door.names) {
					t.Errorf("%s uses %s.%s: %s", relative(t, fset.Position(use.Pos())), door.path,
						use.Sel.Name, door.why)
				}
			}
		}
	}
}

// questions are names by which code could ask which driver it runs over. What only one driver can do is behind a method
// of the portable type that has an ordinary answer for all others, such as Table.Changes.
var questions = []string{"Logger", "Soloist", "Driver()", "Logs", "isLocal", "IsLocal", "isRemote", "IsRemote"}

// TestNobodyAsksForTheDriver: above the drivers one algorithm runs, whatever the storage.
func TestNobodyAsksForTheDriver(t *testing.T) {
	t.Parallel()
	for _, pkg := range packages(t) {
		isBelow := strings.HasPrefix(pkg.name, "internal/storage/") && pkg.name != "internal/storage/store"
		if isBelow || testSupport(pkg.name) {
			continue
		}
		for _, name := range pkg.GoFiles {
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			seams := []string{}
			for _, seam := range []string{"table", "blob", "queue"} {
				for _, use := range usesOf(tree, module+"/internal/storage/"+seam, questions) {
					seams = append(seams, relative(t, fset.Position(use.Pos()))+" uses "+seam+"."+use.Sel.Name)
				}
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				called := ""
				switch n := n.(type) {
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 0 {
						called = sel.Sel.Name
					}
					if called == "Driver" {
						called = "Driver()"
					}
				case *ast.FuncDecl:
					called = n.Name.Name
				case *ast.Field:
					if len(n.Names) == 1 {
						called = n.Names[0].Name
					}
				}
				if slices.Contains(questions, called) {
					seams = append(seams, relative(t, fset.Position(n.Pos()))+" has "+called)
				}
				return true
			})
			for _, found := range seams {
				t.Errorf("%s: it asks which driver it runs over; let a method of the portable type answer", found)
			}
		}
	}
}

// TestNoPatternIsCompiledAtTheStart: packages of contents have hundreds of regular expressions, and a program that
// compiles them all at its start takes twice as long to start, and 5 MB more.
func TestNoPatternIsCompiledAtTheStart(t *testing.T) {
	t.Parallel()
	for _, pkg := range packages(t) {
		if !strings.HasPrefix(pkg.name, "internal/content/") {
			continue
		}
		for _, name := range pkg.GoFiles {
			fset := token.NewFileSet()
			tree, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			for _, declared := range tree.Decls {
				if _, ok := declared.(*ast.GenDecl); !ok {
					continue
				}
				ast.Inspect(declared, func(n ast.Node) bool {
					if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "MustCompile" {
						t.Errorf("%s: use pattern.New", relative(t, fset.Position(n.Pos())))
					}
					_, isFunction := n.(*ast.FuncLit)
					return !isFunction
				})
			}
		}
	}
}

// usesOf finds the selectors of the named identifiers of the package at path, whatever it is imported as.
func usesOf(tree *ast.File, path string, names []string) []*ast.SelectorExpr {
	local := ""
	for _, spec := range tree.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == path {
			local = p[strings.LastIndexByte(p, '/')+1:]
			if spec.Name != nil {
				local = spec.Name.Name
			}
		}
	}
	if local == "" {
		return nil
	}
	var found []*ast.SelectorExpr
	ast.Inspect(tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == local && slices.Contains(names, sel.Sel.Name) {
			found = append(found, sel)
		}
		return true
	})
	return found
}

// heavy are packages that must not be linked into a Lambda function, for what they cost at each cold start.
var heavy = map[string]string{
	"html/template": "it uses methods by name, which keeps every method of the program alive: " +
		"6 MB more",
	"text/template": "it uses methods by name, which keeps every method of the program alive: " +
		"6 MB more",
	"net/rpc": "it links html/template in; aws-lambda-go does without it by -tags " +
		"lambda.norpc",
	"database/sql":       "the embedded store is not for Lambda: a driver was wired in by mistake",
	"modernc.org/sqlite": "the embedded store is not for Lambda: a driver was wired in by mistake",
	"net/http/pprof":     "half a megabyte, and a door that nobody guards",
	"runtime/pprof":      "half a megabyte for what a Lambda function cannot show",
	"expvar":             "it serves process state to whoever asks",
	"github.com/aws/aws-sdk-go-v2/config": "files, single sign-on and metadata services are not for Lambda: " +
		"wire/backend is the command line's",
	"github.com/aws/aws-sdk-go-v2/service/cloudformation": "a function knows its resources by name: wire/backend is " +
		"the command line's",
	"testing": "test support was linked into a program",
}

func TestLambdaBinariesStayLight(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(root(t), "functions")); errors.Is(err, os.ErrNotExist) {
		t.Skip("functions/ is not there yet")
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "lambda.norpc", "./functions/...")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps ./functions/...: %v", explain(err))
	}
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if why, bad := heavy[path]; bad {
			t.Errorf("a Lambda function links %s: %s\nwho brings it in: go list -deps -tags lambda.norpc -f "+
				"'{{.ImportPath}}: {{.Imports}}' ./functions/... | grep %s", path, why, path)
		}
	}
}

func allowed(pkg string, only []string) bool {
	for _, o := range only {
		if pkg == o || strings.HasSuffix(o, "/") && strings.HasPrefix(pkg, o) {
			return true
		}
	}
	return false
}

// goPackage is what `go list -json` tells of a package; name is its path below the module.
type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	name       string
}

var listOnce = sync.OnceValues(func() ([]goPackage, error) {
	// -e: a package that does not build is the compiler's to report; the map is checked all the same.
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		return nil, explain(err)
	}
	var list []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		}
		if name, ours := strings.CutPrefix(p.ImportPath, module+"/"); ours && !strings.Contains(name, "node_modules/") {
			p.name = name
			list = append(list, p)
		}
	}
})

// packages lists all packages of the module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	list, err := listOnce()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return list
}

// explain adds what the go command said to its exit code.
func explain(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func relative(t *testing.T, p token.Position) string {
	t.Helper()
	if rel, err := filepath.Rel(root(t), p.Filename); err == nil {
		p.Filename = rel
	}
	return p.String()
}

// TestTheMapNoticesOffences breaks each rule once, so that a rule without effect is noticed.
func TestTheMapNoticesOffences(t *testing.T) {
	t.Parallel()
	places := map[string]string{
		"internal/reader": "vocabulary", "internal/storage/table": "storage seams",
		"internal/storage/table/rowenc":      "storage seams",
		"internal/storage/table/sqlitetable": "drivers", "internal/wire/awswire": "wire", "cmd/ruri": "programs",
		"functions/api": "programs", "internal/crawl": "domain", "internal/job": "values",
		"internal/assets/webui": "assets",
	}
	for pkg, want := range places {
		if l := layerOf(pkg); l == nil || l.name != want {
			t.Errorf("layerOf(%s) = %v, want %s", pkg, l, want)
		}
	}
	forbidden := [][2]string{
		{"internal/crawl", "internal/stream"}, {"internal/storage/store", "internal/crawl"},
		{"internal/api", "internal/storage/table/sqlitetable"},
		{"internal/storage/table", "internal/storage/table/dynamotable"},
		{"internal/content/fetch", "internal/storage/store"}, {"internal/cli", "internal/storage/blob/fileblob"},
		{"internal/crawl", "internal/config"}, {"internal/schedule", "internal/storage/store"},
	}
	for _, f := range forbidden {
		if from, to := layerOf(f[0]), layerOf(f[1]); slices.Contains(from.mayUse, to.name) {
			t.Errorf("the map lets %s import %s", f[0], f[1])
		}
	}
	source := `package p
import ( web "net/http"; "time"; "os" )
var c = web.Client{}
func f() { _ = time.Now(); _ = os.Getenv("X"); _, _ = web.Get("") ; time.Sleep(1) }`
	tree, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, door := range doors {
		found += len(usesOf(tree, door.path, door.names))
	}
	if found != 4 {
		t.Errorf("found %d uses of doors, want 4", found)
	}
}
