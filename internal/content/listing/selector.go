package listing

import (
	"errors"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// Limits of a selector.
const (
	maxSelector  = 500 // bytes
	maxParts     = 16  // compounds in one sequence
	maxSequences = 8   // sequences separated by commas
	maxNesting   = 2   // parentheses within parentheses
)

// selector is a list of sequences of cascadia's compounds: "ul > li.item a, dl dd". It is matched here from the root
// downwards, because cascadia goes upwards from each candidate, which takes exponential time for "a a a a" on nested
// links.
type selector struct{ sequences []sequence }

type sequence struct {
	parts    []part
	relative bool // begins with ">": the first part is a child of the start
}

// part is a compound and how it follows the one before: ' ' below, '>' child, '+' next sibling, '~' later sibling.
type part struct {
	follows byte
	match   cascadia.Sel
	near    bool // looks at siblings
	deep    int  // how many times, one in another, it looks at all that is below
}

func parseSelector(s string) (*selector, error) {
	if len(s) > maxSelector {
		return nil, fmt.Errorf("longer than %d bytes", maxSelector)
	}
	texts, err := splitSelector(s)
	if err != nil {
		return nil, err
	}
	if len(texts) > maxSequences {
		return nil, fmt.Errorf("more than %d selectors", maxSequences)
	}
	out := &selector{}
	for _, t := range texts {
		c, err := parseSequence(t)
		if err != nil {
			return nil, err
		}
		out.sequences = append(out.sequences, c)
	}
	return out, nil
}

// token is a compound's text, with the combinator before it.
type token struct {
	follows byte
	text    string
}

var errSelector = errors.New("not a CSS selector")

// splitSelector splits a selector into sequences of compounds, at what stands outside brackets and quotes.
func splitSelector(s string) ([][]token, error) {
	p := splitter{s: s, from: -1}
	for i := 0; i < len(s); i++ {
		var err error
		switch {
		case s[i] == '\\':
			p.begin(i)
			i++
		case p.quote != 0 || p.inBracket || p.nesting > 0:
			err = p.enclosed(i)
		default:
			err = p.free(i)
		}
		if err != nil {
			return nil, err
		}
	}
	p.end(len(s))
	if len(p.sequence) == 0 || p.follows != 0 || p.quote != 0 || p.inBracket || p.nesting != 0 {
		return nil, errSelector
	}
	return append(p.out, p.sequence), nil
}

type splitter struct {
	s         string
	out       [][]token
	sequence  []token
	from      int  // start of the compound; -1 outside of one
	follows   byte // the combinator before the next compound
	quote     byte
	inBracket bool
	nesting   int
}

func (p *splitter) begin(i int) {
	if p.from < 0 {
		p.from = i
		if p.follows == 0 {
			p.follows = ' '
		}
	}
}

func (p *splitter) end(i int) {
	if p.from >= 0 {
		p.sequence = append(p.sequence, token{p.follows, p.s[p.from:i]})
		p.from, p.follows = -1, 0
	}
}

// enclosed reads a character in quotes, brackets or parentheses.
func (p *splitter) enclosed(i int) error {
	c := p.s[i]
	switch {
	case p.quote != 0:
		if c == p.quote {
			p.quote = 0
		}
	case c == '"' || c == '\'':
		p.quote = c
	case p.inBracket:
		p.inBracket = c != ']'
	case c == '[':
		p.inBracket = true
	case c == '(':
		if p.nesting++; p.nesting > maxNesting {
			return errors.New("parentheses nested too deeply")
		}
	case c == ')':
		p.nesting--
	case c == '>' || c == '~' || isSpace(c) && combines(p.s, i):
		return errors.New("only simple selectors are allowed in parentheses")
	}
	return nil
}

// free reads a character outside of these.
func (p *splitter) free(i int) error {
	c := p.s[i]
	switch {
	case c == ',':
		p.end(i)
		if len(p.sequence) == 0 || p.follows != 0 {
			return errSelector
		}
		p.out, p.sequence = append(p.out, p.sequence), nil
	case isSpace(c):
		p.end(i)
	case c == '>' || c == '+' || c == '~':
		p.end(i)
		if p.follows != 0 || len(p.sequence) == 0 && c != '>' {
			return errSelector
		}
		p.follows = c
	default:
		p.begin(i)
		p.inBracket = c == '['
		if c == '(' {
			p.nesting++
		}
	}
	return nil
}

// combines reports whether a space in parentheses parts two compounds.
func combines(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t\n\r\f")
	after := strings.TrimLeft(s[at:], " \t\n\r\f")
	return after != "" && !strings.ContainsRune(",)+-", rune(after[0])) &&
		!strings.ContainsRune(",(+-", rune(before[len(before)-1]))
}

func parseSequence(tokens []token) (sequence, error) {
	if len(tokens) > maxParts {
		return sequence{}, fmt.Errorf("more than %d parts", maxParts)
	}
	if tokens[0].text == ":scope" && len(tokens) > 1 && (tokens[1].follows == '>' || tokens[1].follows == ' ') {
		tokens = tokens[1:] // a selector is looked for within its start anyway
	}
	c := sequence{relative: tokens[0].follows == '>'}
	for _, t := range tokens {
		m, err := cascadia.Parse(t.text)
		if err != nil {
			return sequence{}, err
		}
		p := part{follows: t.follows, match: m}
		lower := strings.ToLower(t.text)
		if strings.Contains(lower, ":matches") || strings.Contains(lower, "#=") {
			return sequence{}, errors.New("no regular expressions in selectors: a field has match")
		}
		for _, name := range []string{":nth", ":first", ":last", ":only"} {
			p.near = p.near || strings.Contains(lower, name)
		}
		for _, name := range []string{":has", ":contains"} {
			p.deep += strings.Count(lower, name)
		}
		c.parts = append(c.parts, p)
	}
	return c, nil
}

// find returns matching elements below start in page order, at most max (0 = all); false if that takes too many steps.
// start itself can match an ancestor.
func (s *selector) find(start *html.Node, max int, steps *budget) ([]*html.Node, bool) {
	f := finder{selector: s, steps: steps, max: max}
	top := f.fresh()
	if start.Type == html.ElementNode {
		for i := range s.sequences {
			if !s.sequences[i].relative {
				f.step(&s.sequences[i], start, nil, nil, top.of(i))
			}
		}
	}
	f.below(start, top)
	return f.found, f.steps.left >= 0
}

// marks tell which beginnings of the sequences end at an element (here), at it or an ancestor (above), or at it or an
// earlier sibling (before), as bits.
type marks struct{ here, above, before uint32 }

type level []marks

func (l level) of(i int) *marks { return &l[i] }

type finder struct {
	*selector
	steps *budget
	max   int
	found []*html.Node
	depth int

	parent   *html.Node // whose children were counted last
	children int
}

func (f *finder) fresh() level { return make(level, len(f.sequences)) }

// below visits the children of an element.
func (f *finder) below(n *html.Node, up level) {
	if f.depth++; f.depth > 2000 {
		f.steps.left = -1
	}
	prev, cur := f.fresh(), f.fresh()
	for c := n.FirstChild; c != nil && f.goesOn(); c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		matched := false
		for i := range f.sequences {
			cur[i] = marks{}
			if f.step(&f.sequences[i], c, up.of(i), prev.of(i), cur.of(i)) {
				matched = true
			}
		}
		if matched {
			f.found = append(f.found, c)
		}
		if c.FirstChild != nil && f.goesOn() {
			f.below(c, cur)
		}
		prev, cur = cur, prev
	}
	f.depth--
}

func (f *finder) goesOn() bool {
	return f.steps.left >= 0 && (f.max == 0 || len(f.found) < f.max)
}

// step computes an element's marks from its parent's and previous sibling's, and reports whether a sequence ends at it.
func (f *finder) step(c *sequence, n *html.Node, up, prev *marks, cur *marks) bool {
	for i := range c.parts {
		p := &c.parts[i]
		if i > 0 || c.relative && up != nil {
			ok := false
			switch {
			case i == 0:
				ok = f.depth == 1
			case up == nil:
				// only the first part can be the start itself
			case p.follows == ' ':
				ok = up.above>>(i-1)&1 == 1
			case p.follows == '>':
				ok = up.here>>(i-1)&1 == 1
			case p.follows == '+':
				ok = prev.here>>(i-1)&1 == 1
			case p.follows == '~':
				ok = prev.before>>(i-1)&1 == 1
			}
			if !ok {
				continue
			}
		}
		if f.matches(p, n) {
			cur.here |= 1 << i
		}
	}
	cur.above, cur.before = cur.here, cur.here
	if up != nil {
		cur.above |= up.above
	}
	if prev != nil {
		cur.before |= prev.before
	}
	return cur.here>>(len(c.parts)-1)&1 == 1
}

// matches asks cascadia, after the work is paid for.
func (f *finder) matches(p *part, n *html.Node) bool {
	cost := 1
	if p.near {
		cost += f.siblings(n.Parent)
	}
	if p.deep > 0 {
		size := sizeOf(n, f.steps.left)
		cost += size
		for range p.deep - 1 {
			cost = min(cost*size, f.steps.left+1)
		}
	}
	return f.steps.spend(cost) && p.match.Match(n)
}

// siblings counts the children of an element. It is asked for all of them one after the other.
func (f *finder) siblings(parent *html.Node) int {
	if parent == nil {
		return 0
	}
	if f.parent != parent {
		f.parent, f.children = parent, 0
		for c := parent.FirstChild; c != nil; c = c.NextSibling {
			f.children++
		}
		f.steps.spend(f.children / 4)
	}
	return f.children
}

// sizeOf measures what is below an element, up to a maximum: nodes, and their texts.
func sizeOf(n *html.Node, most int) int {
	size := 1
	for c := range n.Descendants() {
		if size += 1 + len(c.Data)/16; size >= most {
			break
		}
	}
	return size
}
