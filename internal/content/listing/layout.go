package listing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Layout says where the rows of a page are, and where the fields of a row are within it.
type Layout struct {
	Rows   Rows             `json:"rows" required:"true"` // the API refuses one without
	Fields map[string]Field `json:"fields,omitempty"`     // by name: those of FieldNames
	// selector of the link to the next page; empty: rel=next, or what looks like it
	Next  string `json:"next,omitempty"`
	Empty string `json:"empty,omitempty"` // selector of what only a page without results has
	NoAds bool   `json:"noAds,omitempty"` // rows that bear the mark of an advertisement are left out
	Pages int    `json:"pages,omitempty"` // how many pages are read at most; 0 = UsualPages
}

// Rows says what the rows of a page are: one of its fields is set. In JSON a string is a selector.
type Rows struct {
	Selector string `json:"selector,omitempty"`
	// selector of a script or of an element with JSON in an attribute, or a variable such as window.__STATE__; Path
	// leads to an array in it; in a path, * means all members
	JSON string `json:"json,omitempty"`
	Path string `json:"path,omitempty"`
	Data string `json:"data,omitempty"` // "json-ld" or "microdata"
}

// Field says where a field of a row is. In JSON a string is At alone.
type Field struct {
	// At is a selector within the row, or a path in JSON; empty: the row itself. "<" begins a selector of the nearest
	// element before the row: "< dt" is a description's term, "< h2" the heading of a group. "+" begins one of the
	// first element between the row and the next: "+ dd" is a term's description, "+ tr .age" is in a second line.
	At    string            `json:"at,omitempty"`
	Attr  string            `json:"attr,omitempty"`  // attribute; the text if empty
	Match string            `json:"match,omitempty"` // RE2: what it finds, or its first group, is the value
	Map   map[string]string `json:"map,omitempty"`   // values by what the page says
	Else  string            `json:"else,omitempty"`  // the value if there is none, or none in Map
}

// FieldNames are the fields of a row.
func FieldNames() []string {
	return []string{"id", "title", "link", "price", "currency", "image", "date", "status", "seller", "sellerType"}
}

// DetailLayout says where the fields of a single thing's page are.
type DetailLayout struct {
	Price  Field `json:"price,omitzero"`
	Status Field `json:"status,omitzero"`
	SoldAt Field `json:"soldAt,omitzero"`
	Gone   struct {
		Codes []int  `json:"codes,omitempty"` // of HTTP
		Text  string `json:"text,omitempty"`
	} `json:"gone,omitzero"`
}

// UnmarshalJSON also takes a string: a selector.
func (r *Rows) UnmarshalJSON(b []byte) error {
	if isString(b) {
		*r = Rows{}
		return json.Unmarshal(b, &r.Selector)
	}
	type plain Rows
	return decodeStrictly(b, (*plain)(r))
}

// UnmarshalJSON also takes a string: At.
func (f *Field) UnmarshalJSON(b []byte) error {
	if isString(b) {
		*f = Field{}
		return json.Unmarshal(b, &f.At)
	}
	type plain Field
	return decodeStrictly(b, (*plain)(f))
}

// MarshalJSON writes a string where that says it all.
func (r Rows) MarshalJSON() ([]byte, error) {
	if r == (Rows{Selector: r.Selector}) && r.Selector != "" {
		return json.Marshal(r.Selector)
	}
	type plain Rows
	return json.Marshal(plain(r))
}

// MarshalJSON writes a string where that says it all.
func (f Field) MarshalJSON() ([]byte, error) {
	if f.At != "" && f.Attr == "" && f.Match == "" && f.Else == "" && len(f.Map) == 0 {
		return json.Marshal(f.At)
	}
	type plain Field
	return json.Marshal(plain(f))
}

// IsZero reports whether nothing is said.
func (f Field) IsZero() bool {
	return f.At == "" && f.Attr == "" && f.Match == "" && f.Else == "" && len(f.Map) == 0
}

func isString(b []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte(`"`)) }

// decodeStrictly refuses unknown names: one that is misspelt would be ignored in silence.
func decodeStrictly(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Limits of what people write.
const (
	maxPattern = 300   // bytes of a regular expression
	maxProgram = 2_000 // its instructions
	maxPath    = 300   // bytes of a path
	maxMap     = 50    // values
	maxWord    = 200   // bytes of a value
	maxCodes   = 20
)

// Check checks a layout that people wrote. The error is an *Error with the name of the field.
func (l *Layout) Check() error {
	_, err := l.compile()
	return asError(err)
}

// Check checks a layout of details.
func (d *DetailLayout) Check() error {
	_, err := d.compile()
	return asError(err)
}

// asError keeps a nil pointer from becoming an error.
func asError(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}

func layoutError(field, format string, args ...any) *Error {
	return &Error{Code: CodeLayout, Field: field, Detail: fmt.Sprintf(format, args...)}
}

// reading is a layout ready for use.
type reading struct {
	layout    *Layout
	rows      *selector // of rows, or of scripts
	path      []string
	fields    map[string]*fieldReading
	next      *selector
	empty     *selector
	inJSON    bool
	fromShape bool // json-ld, microdata
}

type fieldReading struct {
	Field
	sel    *selector // nil = the row itself
	before bool
	after  bool
	path   []string
	match  *regexp.Regexp
	size   int // instructions of match: each character may take as many steps
}

func (l *Layout) compile() (*reading, *Error) {
	r := &reading{layout: l, fields: map[string]*fieldReading{}}
	if err := r.compileRows(&l.Rows); err != nil {
		return nil, err
	}
	if r.fromShape && len(l.Fields) > 0 {
		return nil, layoutError("fields", "%s says itself where its fields are", l.Rows.Data)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Fields)) {
		f := l.Fields[name]
		if !slices.Contains(FieldNames(), name) {
			return nil, layoutError("fields."+reader.Cut(name, 40), "there is no such field; the fields are %s",
				strings.Join(FieldNames(), ", "))
		}
		c, err := f.compile("fields."+name, r.inJSON)
		if err == nil {
			err = checkValues("fields."+name, name, &f)
		}
		if err != nil {
			return nil, err
		}
		r.fields[name] = c
	}
	var err *Error
	if r.next, err = optionalSelector("next", l.Next); err != nil {
		return nil, err
	}
	if r.empty, err = optionalSelector("empty", l.Empty); err != nil {
		return nil, err
	}
	if l.Pages < 0 || l.Pages > MaxPages {
		return nil, layoutError("pages", "from 1 to %d", MaxPages)
	}
	return r, nil
}

func (r *reading) compileRows(rows *Rows) *Error {
	set := 0
	for _, v := range []string{rows.Selector, rows.JSON, rows.Data} {
		if v != "" {
			set++
		}
	}
	if set != 1 {
		return layoutError("rows", "a selector, or json with a path, or data")
	}
	if rows.Path != "" && rows.JSON == "" {
		return layoutError("rows.path", "only with json")
	}
	var err *Error
	switch {
	case rows.Selector != "":
		r.rows, err = optionalSelector("rows", rows.Selector)
	case rows.Data != "":
		r.fromShape = true
		if rows.Data != dataJSONLD && rows.Data != dataMicrodata {
			err = layoutError("rows.data", "json-ld or microdata")
		}
	default:
		r.inJSON = true
		if !isVariable(rows.JSON) {
			if r.rows, err = optionalSelector("rows.json", rows.JSON); err != nil {
				return err
			}
		}
		r.path, err = parsePath("rows.path", rows.Path)
	}
	return err
}

// The values of Rows.Data.
const (
	dataJSONLD    = "json-ld"
	dataMicrodata = "microdata"
)

func optionalSelector(name, s string) (*selector, *Error) {
	if s == "" {
		return nil, nil //nolint:nilnil // no selector is none
	}
	sel, err := parseSelector(s)
	if err != nil {
		return nil, layoutError(name, "%v", err)
	}
	return sel, nil
}

func (f *Field) compile(name string, inJSON bool) (*fieldReading, *Error) {
	c := &fieldReading{Field: *f}
	var err *Error
	at := f.At
	if !inJSON {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(at), "<"); ok {
			c.before, at = true, rest
			if strings.TrimSpace(at) == "" {
				return nil, layoutError(name+".at", "a selector follows <")
			}
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(at), "+"); ok {
			c.after, at = true, rest
			if strings.TrimSpace(at) == "" {
				return nil, layoutError(name, "a selector follows +")
			}
		}
		c.sel, err = optionalSelector(name+".at", at)
	} else {
		c.path, err = parsePath(name+".at", at)
	}
	if err != nil {
		return nil, err
	}
	if len(f.Attr) > 100 || strings.ContainsAny(f.Attr, " \t\n\"'<>=/") {
		return nil, layoutError(name+".attr", "the name of one attribute")
	}
	c.Attr = strings.ToLower(f.Attr)
	if len(f.Match) > maxPattern {
		return nil, layoutError(name+".match", "longer than %d bytes", maxPattern)
	}
	if f.Match != "" {
		var bad error
		if c.match, bad = regexp.Compile(f.Match); bad != nil {
			return nil, layoutError(name+".match", "%v", bad)
		}
		if c.size = sizeOfPattern(f.Match); c.size > maxProgram {
			return nil, layoutError(name+".match", "it repeats too much")
		}
	}
	if len(f.Map) > maxMap {
		return nil, layoutError(name+".map", "more than %d values", maxMap)
	}
	for k, v := range f.Map {
		if len(k) > maxWord || len(v) > maxWord {
			return nil, layoutError(name+".map", "a value is longer than %d bytes", maxWord)
		}
	}
	if len(f.Else) > maxWord {
		return nil, layoutError(name+".else", "longer than %d bytes", maxWord)
	}
	return c, nil
}

// sizeOfPattern counts the instructions of a regular expression that compiles.
func sizeOfPattern(s string) int {
	re, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return maxProgram + 1
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return maxProgram + 1
	}
	return len(prog.Inst)
}

// checkValues checks what stands for statuses and types of sellers.
func checkValues(at, name string, f *Field) *Error {
	var allowed []string
	switch name {
	case "status":
		allowed = []string{"onSale", "sold", ""}
	case "sellerType":
		allowed = []string{"person", "shop", ""}
	default:
		return nil
	}
	for _, v := range append(slices.Sorted(maps.Values(f.Map)), f.Else) {
		if !slices.Contains(allowed, v) {
			return layoutError(at, "%q is none of %s", reader.Cut(v, 40), strings.Join(allowed[:2], ", "))
		}
	}
	return nil
}

// isVariable tells the name of a variable from the selector of a script.
func isVariable(s string) bool {
	return s == flightName || strings.HasPrefix(s, "window.") || strings.HasPrefix(s, "window[")
}

// parsePath splits a path at its dots; a dot that belongs to a name has a backslash before it.
func parsePath(name, s string) ([]string, *Error) {
	if len(s) > maxPath {
		return nil, layoutError(name, "longer than %d bytes", maxPath)
	}
	if s == "" {
		return nil, nil
	}
	var out []string
	var cur strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			cur.WriteByte(s[i])
		case s[i] == '.':
			out = append(out, cur.String())
			cur.Reset()
		default:
			cur.WriteByte(s[i])
		}
	}
	out = append(out, cur.String())
	if slices.Contains(out, "") {
		return nil, layoutError(name, "a name is missing beside a dot")
	}
	if len(out) > maxDepth {
		return nil, layoutError(name, "more than %d steps", maxDepth)
	}
	return out, nil
}

// joinPath is the opposite of parsePath.
func joinPath(names []string) string {
	r := strings.NewReplacer(`\`, `\\`, ".", `\.`)
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = r.Replace(n)
	}
	return strings.Join(out, ".")
}

func (d *DetailLayout) compile() (map[string]*fieldReading, *Error) {
	out := map[string]*fieldReading{}
	for name, f := range map[string]*Field{"price": &d.Price, "status": &d.Status, "soldAt": &d.SoldAt} {
		if f.IsZero() {
			continue
		}
		c, err := f.compile("detail."+name, false)
		if err == nil {
			err = checkValues("detail."+name, name, f)
		}
		if err == nil && (c.before || c.after) {
			err = layoutError("detail."+name+".at", "nothing is before or behind a page")
		}
		if err != nil {
			return nil, err
		}
		out[name] = c
	}
	if len(d.Gone.Codes) > maxCodes || len(d.Gone.Text) > maxWord {
		return nil, layoutError("detail.gone", "at most %d codes and %d bytes of text", maxCodes, maxWord)
	}
	for _, code := range d.Gone.Codes {
		if code < 200 || code > 599 {
			return nil, layoutError("detail.gone.codes", "%d is no code of HTTP", code)
		}
	}
	return out, nil
}

// UsuallyPages is how many are read at most in a look that is not full: as many as a person chose, else a second one.
func (l *Layout) UsuallyPages() int {
	if l != nil && l.Pages == 0 {
		return 2
	}
	return l.MostPages()
}

// MostPages is how many pages are read at most.
func (l *Layout) MostPages() int {
	if l == nil {
		return 1
	}
	if l.Pages == 0 {
		return UsualPages
	}
	return min(max(l.Pages, 1), MaxPages)
}
