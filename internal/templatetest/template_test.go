package templatetest

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"gopkg.in/yaml.v3"
)

const templatePath = "../../template.yaml"

// node is a value of the template with its line, so that failures point at it. CloudFormation's short forms
// (!Ref, !Sub, !GetAtt, !If, …) keep their tag.
type node struct{ *yaml.Node }

// load reads the template; every test reads its own, so that they run side by side.
func load(t *testing.T) node {
	t.Helper()
	src, err := os.ReadFile(templatePath)
	if err != nil {
		t.Fatal(err)
	}
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

// number resolves a number, or the default of the parameter that a !Ref names.
func number(t *testing.T, template, n node) int {
	t.Helper()
	text := n.text()
	if n.exists() && n.Tag == "!Ref" {
		text = template.get("Parameters", n.Value, "Default").text()
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %q is not a number", n.where(), text)
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
func TestNoAliases(t *testing.T) {
	t.Parallel()
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode || n.Anchor != "" {
			t.Errorf("%s: an alias or anchor; CloudFormation does not take them", node{n}.where())
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(load(t).Node)
}
