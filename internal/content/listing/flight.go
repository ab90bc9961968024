package listing

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// flightName stands for the data that a page of React Server Components (Next.js) carries in its scripts.
const flightName = "self.__next_f"

const (
	maxFlightRows  = 2000
	maxFlightParts = 1000
)

// flight reads that data: the scripts push parts of one text, whose rows are a number and a value,
//
//	1a:["$","ul",null,{"items":[…]}]
//	1b:T5,Hello
//
// It returns an object with the values by their numbers; nil without any.
func (d *document) flight() *value {
	if d.pushed == nil {
		d.pushed = d.readFlight()
	}
	return d.pushed
}

func (d *document) readFlight() *value {
	text := d.flightText()
	if text == "" || !d.steps.spend(len(text)/4) {
		return nil
	}
	out := &value{kind: '{'}
	for range maxFlightRows {
		id, rest, ok := strings.Cut(text, ":")
		if !ok {
			break
		}
		if size, long, ok := strings.Cut(rest, ","); ok && strings.HasPrefix(size, "T") { // a text of so many bytes
			if n, err := strconv.ParseUint(size[1:], 16, 31); err == nil {
				text = long[min(int(n), len(long)):]
				continue
			}
		}
		row, after, _ := strings.Cut(rest, "\n")
		text = after
		if row == "" || row[0] != '{' && row[0] != '[' {
			continue
		}
		if v, ok := parseData(row); ok {
			plainValues(v)
			out.names, out.items = append(out.names, id), append(out.items, *v)
		}
	}
	if len(out.items) == 0 {
		return nil
	}
	return out
}

// flightText joins what the scripts push: self.__next_f.push([1,"…"]).
func (d *document) flightText() string {
	var b strings.Builder
	left := maxFlightParts
	for n := range d.root.Descendants() {
		if !isElement(n, atom.Script) {
			continue
		}
		_, part, ok := strings.Cut(scriptText(n), flightName+".push([1,")
		if !ok || part == "" || part[0] != '"' {
			continue
		}
		p := dataParser{s: part}
		if text, ok := p.quoted(); ok {
			b.WriteString(text)
		}
		if left--; left == 0 {
			break
		}
	}
	return b.String()
}

// plainValues leaves of elements of React, ["$","li",key,{…}], their properties, and decodes strings that stand for
// other values: "$$5" is "$5", "$D2026-…" a date, "$undefined" nothing.
func plainValues(v *value) {
	if rest, ok := strings.CutPrefix(v.text, "$"); ok && v.kind == '"' {
		switch {
		case strings.HasPrefix(rest, "$"):
			v.text = rest
		case strings.HasPrefix(rest, "D"):
			v.text = rest[1:]
		case rest == "undefined":
			*v = value{kind: 'n'}
		}
	}
	if v.kind == '[' && len(v.items) > 3 && v.items[0].text == "$" && v.items[3].kind == '{' {
		*v = v.items[3]
	}
	for i := range v.items {
		plainValues(&v.items[i])
	}
}
