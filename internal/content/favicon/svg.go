package favicon

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	// svgSide is what a drawing counts for. An image that is sharp everywhere is preferred, because apps may not show
	// drawings; one with fewer pixels is not.
	svgSide = 31

	maxSVG      = 64 << 10 // bytes
	maxSVGDepth = 64
	// maxReferences bounds how often parts of a drawing are used again. A part may itself use others: twelve references
	// make a drawing at most 3⁴ times as long.
	maxReferences = 12

	svgSpace   = "http://www.w3.org/2000/svg"
	xhtmlSpace = "http://www.w3.org/1999/xhtml"
)

// drawn are the elements of SVG 2 that a drawing may have. Scripts, animations, images, filters and patterns are not
// among them: a drawing stands still, loads nothing and is quickly shown.
var drawn = strings.Fields("svg g path rect circle ellipse line polyline polygon text tspan defs symbol use " +
	"linearGradient radialGradient stop clipPath mask style title desc metadata")

// drawing returns an SVG as it is, if it is safe and cheap in an img element, where browsers run no scripts and load
// nothing. It must be served so that browsers do not run it as a page either.
func drawing(body []byte) (Made, error) {
	if len(body) > maxSVG || !bytes.Contains(body, []byte(svgSpace)) {
		return Made{}, ErrUnusable
	}
	s := svg{xml: xml.NewDecoder(bytes.NewReader(body))}
	for {
		switch ok, err := s.next(); {
		case errors.Is(err, io.EOF) && s.rooted && isStill(string(s.css)):
			return Made{Body: body, ContentType: "image/svg+xml", Side: s.side}, nil
		case err != nil || !ok:
			return Made{}, ErrUnusable
		}
	}
}

// svg is a drawing that is being checked.
type svg struct {
	xml        *xml.Decoder // it refuses what is not well-formed, entities of a document's own included
	depth      int
	rooted     bool
	inStyle    bool
	css        []byte // of all style elements
	references int
	side       int
}

// next checks a part of the drawing.
func (s *svg) next() (ok bool, err error) {
	token, err := s.xml.Token()
	if err != nil {
		return false, err
	}
	switch t := token.(type) {
	case xml.ProcInst: // a style sheet may be one
		return t.Target == "xml", nil
	case xml.Directive: // a document type of its own could add attributes
		return !bytes.ContainsRune(t, '['), nil
	case xml.StartElement:
		if s.depth++; s.depth > maxSVGDepth || s.depth == 1 && s.rooted || s.inStyle {
			return false, nil
		}
		if !s.rooted {
			s.rooted, s.side = true, sideOf(t)
			if t.Name != (xml.Name{Space: svgSpace, Local: "svg"}) {
				return false, nil
			}
		}
		s.inStyle = t.Name.Local == "style"
		return s.element(t), nil
	case xml.CharData: // CDATA and comments may cut a word of a style into several
		if s.inStyle {
			s.css = append(s.css, t...)
		}
	case xml.EndElement:
		s.depth, s.inStyle = s.depth-1, false
	}
	return true, nil
}

// element accepts the elements in drawn, and those of other namespaces, in which drawing programs keep notes and which
// browsers do not draw.
func (s *svg) element(t xml.StartElement) bool {
	switch t.Name.Space {
	case svgSpace:
		if !slices.Contains(drawn, t.Name.Local) {
			return false
		}
	case "", xhtmlSpace:
		return false
	}
	if t.Name.Local == "use" {
		s.references++
	}
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "clip-path", "mask":
			s.references++
		case "filter":
			return false
		case "style":
			if !isStill(a.Value) {
				return false
			}
		}
	}
	return s.references <= maxReferences
}

// isStill reports whether CSS has no animation and no expensive effect. It refuses escapes, which could hide either.
func isStill(css string) bool {
	css = strings.ToLower(css)
	for _, word := range []string{`\`, "@import", "animation", "transition", "filter", "mask", "clip-path"} {
		if strings.Contains(css, word) {
			return false
		}
	}
	return true
}

// sideOf is svgSide for a square and zero for a banner. The size is that of the viewBox, else of width and height.
func sideOf(root xml.StartElement) int {
	size := map[string]string{}
	for _, a := range root.Attr {
		size[a.Name.Local] = a.Value
	}
	w, h := number(size["width"]), number(size["height"])
	if box := strings.FieldsFunc(size["viewBox"], func(r rune) bool { return r == ' ' || r == ',' }); len(box) == 4 {
		w, h = number(box[2]), number(box[3])
	}
	if w <= 0 || h <= 0 || isBanner(w, h) {
		return 0
	}
	return svgSide
}

func number(s string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "px"), 64)
	if err != nil {
		return 0
	}
	return n
}
