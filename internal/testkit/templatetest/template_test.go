// Package templatetest checks template.yaml against rules that no linter knows: least privilege, limits that
// CloudFormation accepts and AWS then refuses or violates silently (visibility, timeouts, the schedule's phase), and
// mistakes that only a bill or a lost body would reveal. cfn-lint and sam validate run in addition.
//
// A check is a function of the template that returns its findings, so that mutations_test.go can run all checks on
// templates with one planted mistake, each of which must be found.
package templatetest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const templatePath = "../../../template.yaml"

// node is a value of the template with its line, so that failures point at it. CloudFormation's short forms
// (!Ref, !Sub, !GetAtt, !If, …) keep their tag.
type node struct{ *yaml.Node }

// findings are what checks have to say about one template. A check is handed the template, so that the same one runs
// on the real template (no finding) and on one with a planted mistake (at least one).
type findings struct{ list []string }

func (f *findings) Errorf(format string, args ...any) {
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

type check func(faults *findings, template node)

// hold runs a check on the real template.
func hold(t *testing.T, c check) {
	t.Helper()
	t.Parallel()
	var faults findings
	c(&faults, load(t))
	for _, fault := range faults.list {
		t.Error(fault)
	}
}

// load reads the template; every test reads its own, so that they run side by side.
func load(t *testing.T) node {
	t.Helper()
	src := []byte(readFile(t, templatePath))
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	return node{doc.Content[0]}
}

// get follows map keys; a missing one gives a node that is not there, on which everything is empty.
func (n node) get(path ...string) node {
	for _, key := range path {
		n = n.child(key)
	}
	return n
}

func (n node) child(key string) node {
	if n.Node == nil || n.Kind != yaml.MappingNode {
		return node{}
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return node{n.Content[i+1]}
		}
	}
	return node{}
}

func (n node) exists() bool { return n.Node != nil }

func (n node) text() string {
	if n.Node == nil {
		return ""
	}
	return n.Value
}

// list gives the elements of a sequence, or the value itself as the only one (CloudFormation takes both).
func (n node) list() []node {
	if n.Node == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode || n.Tag == "!If" {
		return []node{n}
	}
	out := make([]node, len(n.Content))
	for i, c := range n.Content {
		out[i] = node{c}
	}
	return out
}

// each calls f for the pairs of a map, in their order.
func (n node) each(f func(key string, value node)) {
	if n.Node == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		f(n.Content[i].Value, node{n.Content[i+1]})
	}
}

// where is for failure messages.
func (n node) where() string {
	if n.Node == nil {
		return "template.yaml"
	}
	return fmt.Sprintf("template.yaml:%d", n.Line)
}

// form writes a value in one line with its short forms, so that !Ref Table is not taken for the text "Table".
func (n node) form() string {
	if n.Node == nil {
		return ""
	}
	tag := ""
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		tag = n.Tag + " "
	}
	var parts []string
	switch n.Kind {
	case yaml.SequenceNode:
		for _, c := range n.Content {
			parts = append(parts, node{c}.form())
		}
		return tag + "[" + strings.Join(parts, ", ") + "]"
	case yaml.MappingNode:
		n.each(func(key string, v node) { parts = append(parts, key+": "+v.form()) })
		slices.Sort(parts)
		return tag + "{" + strings.Join(parts, ", ") + "}"
	}
	return tag + n.Value
}

// want compares a value, short form and all.
func want(faults *findings, n node, what, wanted string) {
	if got := n.form(); got != wanted {
		faults.Errorf("%s: %s is %q, want %q", n.where(), what, got, wanted)
	}
}

// number resolves a number, or the default of the parameter that a !Ref names.
func number(faults *findings, template, n node) int {
	text := n.text()
	if n.exists() && n.Tag == "!Ref" {
		text = template.get("Parameters", n.Value, "Default").text()
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		faults.Errorf("%s: %q is not a number", n.where(), text)
	}
	return v
}

// resources gives those of a type, by name.
func resources(template node, kind string) map[string]node {
	found := map[string]node{}
	template.get("Resources").each(func(name string, r node) {
		if r.get("Type").text() == kind {
			found[name] = r
		}
	})
	return found
}

// TestNoAliases: CloudFormation refuses YAML aliases, which every other tool expands without a word.
func TestNoAliases(t *testing.T) { hold(t, checkNoAliases) }

func checkNoAliases(faults *findings, template node) {
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode || n.Anchor != "" {
			faults.Errorf("%s: an alias or anchor; CloudFormation does not take them", node{n}.where())
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(template.Node)
}

var substituted = regexp.MustCompile(`\$\{([A-Za-z0-9]+)`)

// references gives the names that !Ref, !Sub and !GetAtt of a template name.
func references(template node) map[string]bool {
	names := map[string]bool{}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		switch n.Tag {
		case "!Ref":
			names[n.Value] = true
		case "!GetAtt":
			name, _, _ := strings.Cut(n.Value, ".")
			names[name] = true
		case "!Sub":
			for _, m := range substituted.FindAllStringSubmatch(n.Value, -1) {
				names[m[1]] = true
			}
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(template.Node)
	return names
}
