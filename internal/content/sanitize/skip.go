package sanitize

// skipper follows a dropped element to its end.
type skipper struct {
	name  string // the element being dropped, "" when none is
	depth int
	// isBreakable: the start of a block ends the dropping.
	isBreakable bool
}

// start is called for every start tag, and reports whether the tag itself is to be passed over.
func (s *skipper) start(name string, selfClosing bool) bool {
	if s.name != "" && !(s.isBreakable && block[shown[name]]) {
		if name == s.name && !selfClosing {
			s.depth++
		}
		return true
	}
	*s = skipper{}
	isBreakable, drop := dropped[name]
	if drop && !selfClosing {
		*s = skipper{name, 1, isBreakable}
	}
	return drop
}

// end is called for every end tag, and reports whether it belongs to a dropped element.
func (s *skipper) end(name string) bool {
	if s.name == "" {
		return false
	}
	if name == s.name {
		if s.depth--; s.depth == 0 {
			s.name = ""
		}
	}
	return true
}

// active reports whether content is being dropped.
func (s *skipper) active() bool { return s.name != "" }
