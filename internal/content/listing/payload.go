package listing

import (
	"slices"
	"strconv"
	"strings"
)

// Applications often write their data in one of two ways besides JSON: as a list of values that refer to each other by
// place, or as a function whose arguments stand for frequent values.

// wrappers are the names that stand before the place of a value in such a list.
var wrappers = set([]string{"ShallowReactive", "Reactive", "ShallowRef", "Ref", "EmptyRef", "EmptyShallowRef",
	"NuxtError", "Island", "Set", "Date"})

// unfold resolves a list of values that refer to each other by place; nil if it is no such list.
func unfold(v *value) *value {
	if v.kind != '[' || len(v.items) < 3 || v.items[0].kind != '[' && v.items[0].kind != '{' {
		return nil
	}
	first := &v.items[0]
	if first.kind == '[' && (len(first.items) != 2 || !wrappers[first.items[0].text]) {
		return nil
	}
	if first.kind == '{' && !refers(first) || !slices.ContainsFunc(v.items, func(i value) bool {
		return i.kind == '"'
	}) {
		return nil
	}
	u := unfolding{list: v.items, left: maxValues}
	var out value
	u.at(0, &out, 0)
	if out.kind != '{' && out.kind != '[' || u.left < 0 {
		return nil
	}
	return &out
}

// refers reports whether all members of an object are places.
func refers(v *value) bool {
	for i := range v.items {
		if n, err := strconv.Atoi(v.items[i].text); v.items[i].kind != '0' || err != nil || n < 0 {
			return false
		}
	}
	return len(v.items) > 0
}

type unfolding struct {
	list []value
	left int
}

// at writes the value at a place.
func (u *unfolding) at(i int, into *value, depth int) {
	into.kind = 'n'
	if u.left--; u.left < 0 || i < 0 || i >= len(u.list) || depth > maxDepth {
		return
	}
	v := &u.list[i]
	switch {
	case v.kind == '[' && len(v.items) == 2 && v.items[0].kind == '"' && wrappers[v.items[0].text]:
		if v.items[0].text == "Date" {
			*into = v.items[1]
			return
		}
		u.refer(&v.items[1], into, depth+1)
	case v.kind == '[' || v.kind == '{':
		into.kind, into.names = v.kind, v.names
		into.items = make([]value, len(v.items))
		for j := range v.items {
			u.refer(&v.items[j], &into.items[j], depth+1)
		}
	default:
		*into = *v
	}
}

func (u *unfolding) refer(ref, into *value, depth int) {
	i, err := strconv.Atoi(ref.text)
	if ref.kind != '0' || err != nil {
		i = -1
	}
	u.at(i, into, depth)
}

// calledData reads the object that a function returns which is called at once: (function(a,b){return {x:a}}(1,2)).
func calledData(d *document, s string) *value {
	rest, ok := strings.CutPrefix(s, "(function(")
	if !ok || !d.steps.spend(len(s)/4) {
		return nil
	}
	list, rest, ok := strings.Cut(rest, ")")
	if !ok || len(list) > maxText {
		return nil
	}
	at := strings.Index(rest, "return")
	if at < 0 || at > maxText {
		return nil
	}
	p := dataParser{s: rest[at+len("return"):], left: maxValues, names: map[string]int{}}
	for i, name := range strings.Split(list, ",") {
		p.names[strings.TrimSpace(name)] = i
	}
	var v value
	if !p.value(&v, 0) {
		return nil
	}
	for p.peek() == ';' || p.peek() == '}' || p.peek() == ')' {
		p.i++
	}
	var args value
	if p.peek() == '(' {
		p.names = nil
		p.arguments(&args)
	}
	v.substitute(args.items)
	return &v
}

// arguments reads as many of a call as can be read.
func (p *dataParser) arguments(into *value) {
	for p.i++; p.peek() != ')' && p.i < len(p.s); {
		var v value
		if strings.HasPrefix(p.s[p.i:], "void 0") {
			v.kind = 'n'
			p.i += len("void 0")
		} else if !p.value(&v, 0) {
			return
		}
		into.items = append(into.items, v)
		if p.peek() == ',' {
			p.i++
		}
	}
}

// substitute puts the arguments where their names stand.
func (v *value) substitute(args []value) {
	if v.kind == 'v' {
		i, _ := strconv.Atoi(v.text)
		*v = value{kind: 'n'}
		if i < len(args) && args[i].kind != '{' && args[i].kind != '[' {
			*v = args[i]
		}
		return
	}
	for i := range v.items {
		v.items[i].substitute(args)
	}
}
