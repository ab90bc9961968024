package extract

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Longest texts kept, in runes (addresses: reader.MaxLink bytes).
const (
	maxTitle       = 1000
	maxDescription = 1000
	maxName        = 300
	maxGUID        = 2048 // bytes
	maxKeywords    = 4000
	maxCategories  = 64
	maxEnclosures  = 32
	snippetRunes   = 200
	textRunes      = 64 << 10
)

// channel gathers candidates of the channel's fields: the first choice of each field may come last.
type channel struct {
	title, dcTitle        string
	description, summary  string
	link, atomLink        string
	image, itunesImage    string
	icon, logo            string
	build, pub, updated   time.Time
	date                  time.Time
	author, editor, iauth string
	language              string
}

// scanXML reads the document from its root on.
func (s *scanner) scanXML(start beginning) error {
	t := start.root
	s.item = s
	s.declare(t)
	if s.entry {
		if s.scanItem(t) < 0 || len(s.feed.Items) == 0 {
			return &Error{Code: CodeTruncated, Line: s.line(len(s.b))}
		}
		return nil
	}
	var c channel
	s.enter(t)
	ended, closed := t.self, false // closed: nothing but the end of the root is due
	for i := t.body; !ended; {
		j := bytes.IndexByte(s.b[i:], '<')
		if j < 0 || i+j+1 >= len(s.b) {
			s.feed.Truncated = true
			break
		}
		i += j
		switch s.b[i+1] {
		case '/':
			ended = hasName(s.b[i+2:], s.rootName)
			closed = closed || s.feed.Format == RSS && string(localName(s.b[i+2:])) == "channel"
			i += 2
		case '!', '?':
			if i = s.pastMarkup(i); i < 0 {
				s.feed.Truncated = true
				i, ended = len(s.b), true
			}
		default:
			if i = s.channelChild(i, &c); i < 0 {
				s.feed.Truncated = true
				i, ended = len(s.b), true
			}
		}
		if s.mismatches > 4*maxMismatch {
			return &Error{Code: CodeBadXML, Line: s.line(s.firstDoubt)}
		}
	}
	s.fillChannel(&c)
	s.feed.Truncated = s.feed.Truncated && !closed
	if s.feed.Truncated && len(s.feed.Items) == 0 {
		return &Error{Code: CodeTruncated, Line: s.line(len(s.b))}
	}
	return nil
}

// channelChild reads the element at i, and returns where to go on, or -1 when the document ends inside.
func (s *scanner) channelChild(i int, c *channel) int {
	t, ok := s.startTag(i)
	if !ok {
		if i+2 < len(s.b) && bytes.IndexByte(s.b[i:], '>') >= 0 {
			return i + 1
		}
		return -1
	}
	switch kind := s.kindOf(t); kind {
	case elChannel:
		s.declare(t)
		s.enter(t)
		return t.body
	case elItem:
		end := s.scanItem(t)
		s.itemBase = ""
		return end
	case elGroup:
		return t.body
	default:
		n := node{kind: kind, tag: t}
		if !s.element(&n) {
			if n.end < 0 {
				return -1
			}
			s.mismatch(t.open)
		}
		if kind != elUnknown {
			s.channelField(&n, c)
		}
		return n.end
	}
}

func (s *scanner) mismatch(at int) {
	if s.mismatches++; s.mismatches == 1 {
		s.firstDoubt = at
	}
	s.doubt()
}

// enter takes xml:base and xml:lang of root or channel.
func (s *scanner) enter(t tag) {
	if t.attrEnd == t.nameEnd {
		return
	}
	if v := s.attr(t, "xml:base"); v != nil {
		s.xmlBase = s.joinBase(s.xmlBase, v)
		s.base = s.joinBase(s.base, v)
	}
	if v := s.attr(t, "xml:lang"); v != nil && s.feed.Language == "" {
		s.feed.Language = s.flatText(v, maxName)
	}
}

// channelField reads an element of the channel; the first of a kind counts.
func (s *scanner) channelField(n *node, c *channel) {
	switch n.kind {
	case elTitle:
		first(&c.title, s.title, n)
	case elDCTitle, elOtherTitle:
		first(&c.dcTitle, s.title, n)
	case elDescription, elSubtitle:
		first(&c.description, s.description, n)
	case elSummary, elITunesSummary, elITunesSubtitle:
		first(&c.summary, s.description, n)
	case elLink, elAtomLink:
		s.channelLink(n, c)
	case elImage:
		first(&c.image, s.imageURL, n)
	case elITunesImage:
		if c.itunesImage == "" {
			c.itunesImage = s.address(s.attr(n.tag, "href"), s.baseOf(n.tag, s.base))
		}
	case elIcon:
		first(&c.icon, s.addressOf, n)
	case elLogo:
		first(&c.logo, s.addressOf, n)
	case elLanguage:
		first(&c.language, s.text, n)
	case elBuildDate:
		first(&c.build, s.date, n)
	case elPublished:
		first(&c.pub, s.date, n)
	case elUpdated, elTermModified:
		first(&c.updated, s.date, n)
	case elDCDate:
		first(&c.date, s.date, n)
	case elAuthor, elCreator:
		s.addAuthor(&c.author, n)
	case elManagingEditor, elWebMaster:
		first(&c.editor, s.person, n)
	case elITunesAuthor:
		first(&c.iauth, s.person, n)
	case elNewFeedURL:
		first(&s.feed.NewURL, s.addressOf, n)
	case elTTL, elSkipHours, elSkipDays:
		s.hint(n)
	}
}

// first reads n unless an earlier element of its kind gave a value.
func first[T comparable](dst *T, read func(*node) T, n *node) {
	var zero T
	if *dst == zero {
		*dst = read(n)
	}
}

func (s *scanner) channelLink(n *node, c *channel) {
	href := s.attr(n.tag, "href")
	if n.kind == elLink && s.feed.Format != Atom {
		text := s.addressOf(n)
		if text == "" && s.attr(n.tag, "rel") == nil {
			text = s.address(href, s.baseOf(n.tag, s.base))
		}
		if text != "" || href == nil {
			c.link = cmp.Or(text, c.link) // the last one, as gofeed has it
			if ref := s.flat(s.content(n)); len(ref) > 0 {
				s.setSite(ref, text)
			} else {
				s.setSite(href, text)
			}
			return
		}
	}
	url := s.address(href, s.baseOf(n.tag, s.base))
	if url == "" {
		return
	}
	for rel := range strings.FieldsSeq(strings.ToLower(string(bytes.TrimPrefix(s.attr(n.tag, "rel"), relations))) +
		" ") {
		switch rel {
		case "self":
			if s.feed.Self == "" {
				s.feed.Self = url
			}
		case "hub":
			if s.feed.Hub == "" {
				s.feed.Hub = url
			}
		case "alternate":
			if c.atomLink == "" {
				c.atomLink = url
			}
		}
	}
	if len(s.attr(n.tag, "rel")) == 0 && c.atomLink == "" {
		c.atomLink = url
	}
	if c.link == "" && c.atomLink == url {
		s.setSite(href, url)
	}
}

// imageURL reads the address inside an RSS image element, or its rdf:resource.
func (s *scanner) imageURL(n *node) string {
	if in, ok := s.child(n, "url"); ok {
		return s.addressOf(in)
	}
	return s.address(s.attr(n.tag, "href"), s.base)
}

// hint reads the publisher's hints on when to poll (RSS 2.0: ttl, skipHours, skipDays).
func (s *scanner) hint(n *node) {
	if n.kind == elTTL {
		v, err := strconv.Atoi(s.flatText(s.content(n), 20))
		if err == nil && v > 0 && s.feed.TTL == 0 {
			s.feed.TTL = time.Duration(min(v, 60*24*365)) * time.Minute
		}
		return
	}
	region := *n
	for range 64 {
		in, ok := s.child(&region, "")
		if !ok {
			return
		}
		v := strings.ToLower(s.flatText(s.content(in), 20))
		if n.kind == elSkipHours {
			if h, err := strconv.Atoi(v); err == nil && h >= 0 && h <= 24 {
				s.feed.SkipHours |= 1 << (h % 24) // 24 is midnight in RSS 0.91
			}
		} else if d := strings.Index("sun mon tue wed thu fri sat ", v[:min(3, len(v))]+" "); len(v) >= 3 && d >= 0 {
			s.feed.SkipDays |= 1 << (d / 4)
		}
		region.tag.body = in.end
	}
}

// fillChannel makes the choice among the candidates.
func (s *scanner) fillChannel(c *channel) {
	f := s.feed
	f.Title = cmp.Or(c.title, c.dcTitle)
	f.Description = cmp.Or(c.description, c.summary)
	f.Link = cmp.Or(c.link, c.atomLink)
	if f.Format == Atom {
		f.Icon = cmp.Or(c.icon, c.logo, c.itunesImage)
	} else {
		f.Icon = cmp.Or(c.image, c.itunesImage, c.icon, c.logo)
	}
	f.Language = cmp.Or(c.language, f.Language) // the format's own element before xml:lang
	if v := f.Language; len(v) <= len("zh_Hant_TW") && strings.IndexByte(v, '_') == 2 {
		f.Language = strings.ReplaceAll(v, "_", "-") // a locale of POSIX
	}
	f.Author = cmp.Or(c.author, c.editor, c.iauth)
	f.Updated = cmp.Or(c.build, c.updated, c.date, c.pub)
}
