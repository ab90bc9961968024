package greader

import (
	"bytes"
	"cmp"
	"context"
	"html"
	"net/url"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

type linkJSON struct {
	Href string `json:"href"`
	Type string `json:"type,omitempty"`
}

type textJSON struct {
	Direction string `json:"direction"`
	Content   string `json:"content"`
}

type originJSON struct {
	Stream string `json:"streamId"`
	Title  string `json:"title"`
	Site   string `json:"htmlUrl"`
}

// enclosureJSON has the address under both names that clients look for.
type enclosureJSON struct {
	Href   string `json:"href"`
	URL    string `json:"url"`
	Type   string `json:"type"`
	Length int64  `json:"length"`
}

// itemJSON is an item. No member is ever null. Where some clients decode a text and others a number, the member has a
// form that both accept.
type itemJSON struct {
	ID         string          `json:"id"`
	CrawlTime  string          `json:"crawlTimeMsec"`
	Timestamp  string          `json:"timestampUsec"`
	Published  int64           `json:"published"`
	Updated    int64           `json:"updated"`
	Title      string          `json:"title"`
	Author     string          `json:"author"`
	Canonical  []linkJSON      `json:"canonical"`
	Alternate  []linkJSON      `json:"alternate"`
	Categories []string        `json:"categories"`
	Origin     originJSON      `json:"origin"`
	Enclosure  []enclosureJSON `json:"enclosure,omitempty"`
	Summary    textJSON        `json:"summary"`
	Content    *textJSON       `json:"content,omitempty"`
	// Marked is the member in which Liferea looks for stars.
	Marked bool `json:"marked,omitempty"`
}

func (n *names) item(x *stream.Located) itemJSON {
	h := &x.Header
	out := itemJSON{
		ID: longID(x.ID), CrawlTime: strconv.FormatInt(x.Arrived, 10), Timestamp: micros(x.Arrived),
		Published: stream.Published(h),
		Updated:   cmp.Or(h.Updated, stream.Published(h)), Title: h.Title, Author: h.Author, Marked: x.Starred,
		Origin: originJSON{Stream: feedPrefix + x.Feed.String(), Title: x.FeedTitle}, Categories: n.categoriesOf(x),
	}
	if x.Sub != nil {
		out.Origin.Site = siteOf(x.Sub.Feed)
	} else if u, err := url.Parse(h.Link); err == nil && u.Host != "" {
		out.Origin.Site = u.Scheme + "://" + u.Host + "/"
	}
	link := cmp.Or(h.Link, out.Origin.Site)
	out.Canonical, out.Alternate = []linkJSON{{Href: link}}, []linkJSON{{link, "text/html"}}
	for _, e := range h.Enclosures {
		out.Enclosure = append(out.Enclosure, enclosureJSON{e.URL, e.URL, e.Type, e.Length})
	}
	return out
}

// categoriesOf lists an item's states, the folders of its feed and its labels.
func (n *names) categoriesOf(x *stream.Located) []string {
	out := []string{statePrefix + readingList}
	if x.Read {
		out = append(out, statePrefix+stateRead)
	}
	if x.Starred {
		out = append(out, statePrefix+stateStar)
	}
	if x.Sub != nil {
		for _, id := range n.Around(x.Sub.Sub.Folders) {
			out = append(out, labelPrefix+n.ofFolder[id])
		}
	}
	for _, id := range x.Labels {
		if l, ok := n.Label(id); ok && n.folders[l.Name] == 0 {
			out = append(out, labelPrefix+l.Name)
		}
	}
	return out
}

// text returns an item's content. Of a body that is not kept, or that nobody sent, there is the snippet.
func text(x *stream.Located, b *stream.Body) textJSON {
	if b.HTML == "" && x.Header.Snippet != "" {
		return textJSON{"ltr", "<p>" + html.EscapeString(x.Header.Snippet) + "</p>"}
	}
	return textJSON{"ltr", b.HTML}
}

const (
	// bodiesAtOnce are read and written together.
	bodiesAtOnce = 200
	// readAtOnce limits the raw feeds that are read concurrently.
	readAtOnce = 8
)

// writer writes the items of an answer.
type writer struct {
	s      *server
	r      *request
	names  *names
	room   int  // in bytes
	single bool // the content only once
	buf    bytes.Buffer
	n      int
	put    func(*itemJSON) error // writes one to buf
}

// items writes items in the order of the ids, without those that do not exist. It ends early when there is no room for
// a further one, or goes on without bodies, so that each is answered. last is the last one written.
func (w *writer) items(ctx context.Context, ids []reader.ItemID, whole bool) (last reader.ItemID,
	ended bool, err error) {
	all, err := w.s.Streams.FindAll(ctx, w.r.caller.User, ids)
	if err != nil {
		return 0, false, err
	}
	for from := 0; from < len(all); from += bodiesAtOnce {
		list := all[from:min(from+bodiesAtOnce, len(all))]
		isFull := w.buf.Len() >= w.room
		bodies := make([]stream.Body, len(list))
		if !isFull {
			if err := w.bodies(ctx, list, bodies); err != nil {
				return 0, false, err
			}
		}
		for i, x := range list {
			if x == nil {
				last = ids[from+i]
				continue
			}
			size := len(bodies[i].HTML) + len(bodies[i].HTML)/8
			if !w.single {
				size *= 2
			}
			if isFull = isFull || w.n > 0 && w.buf.Len()+size+headerRoom > w.room; isFull && !whole {
				return last, true, nil
			}
			if isFull {
				bodies[i] = stream.Body{}
			}
			if err := w.item(x, &bodies[i]); err != nil {
				return 0, false, err
			}
			last = ids[from+i]
		}
	}
	return last, false, nil
}

// headerRoom is the usual size of an item without its body.
const headerRoom = 2 << 10

func (w *writer) item(x *stream.Located, b *stream.Body) error {
	out := w.names.item(x)
	out.Summary = text(x, b)
	w.n++
	return w.put(&out)
}

// json writes an item of a JSON list.
func (w *writer) json(it *itemJSON) error {
	if !w.single {
		it.Content = &it.Summary
	}
	if w.n > 1 {
		w.buf.WriteByte(',')
	}
	return encode(&w.buf, it)
}

// bodies reads the bodies of items, those of one raw feed together.
func (w *writer) bodies(ctx context.Context, list []*stream.Located, out []stream.Body) error {
	byRaw, order := map[string][]int{}, []string{}
	for i, x := range list {
		if x == nil {
			continue
		}
		if byRaw[x.Raw] == nil {
			order = append(order, x.Raw)
		}
		byRaw[x.Raw] = append(byRaw[x.Raw], i)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(readAtOnce, runtime.GOMAXPROCS(0)))
	for _, raw := range order {
		g.Go(func() error {
			group := make([]*stream.Located, len(byRaw[raw]))
			for k, i := range byRaw[raw] {
				group[k] = list[i]
			}
			return w.s.Streams.Bodies(ctx, w.r.caller.User, group, func(k int, b stream.Body) (bool, error) {
				out[byRaw[raw][k]] = b
				return true, nil
			})
		})
	}
	return g.Wait()
}

// page is a page of a stream that is about to be written.
type page struct {
	writer
	name    string // of the stream
	title   string // for people
	ids     []reader.ItemID
	more    bool
	updated int64 // Unix seconds
}

func (s *server) newWriter(r *request) (w writer, err error) {
	w = writer{s: s, r: r, room: s.Room(r.Request)}
	w.names, err = s.names(r)
	return w, err
}

// page finds the items of the stream that a request names in its path or in s.
func (s *server) page(r *request) (*page, error) {
	p := &page{name: cmp.Or(r.rest, r.form.Get("s")), updated: s.Clock.Now().Unix()}
	q, none, err := s.itemQuery(r, p.name, maxContents)
	if err != nil {
		return nil, err
	}
	p.title = cmp.Or(p.name[strings.LastIndexByte(p.name, '/')+1:], readingList)
	if p.writer, err = s.newWriter(r); err != nil || none {
		return p, err
	}
	if q.Feed > 0 {
		sub, err := s.Streams.Get(r.Context(), r.caller.User, q.Feed)
		if err != nil {
			return nil, err
		}
		p.title = sub.Title()
	}
	if p.ids, p.more, err = s.Streams.IDs(r.Context(), r.caller.User, q); err != nil {
		return nil, err
	}
	if n := len(p.ids); n > 0 {
		p.updated = min(max(p.ids[0], p.ids[n-1]).Stamp().Time().Unix(), p.updated)
	}
	return p, nil
}

// streamContents answers items with their bodies, newest arrivals first.
func (s *server) streamContents(r *request) error {
	p, err := s.page(r)
	if err != nil {
		return err
	}
	w := &p.writer
	w.put = w.json
	w.buf.WriteString(`{"direction":"ltr","id":`)
	if err := encode(&w.buf, cmp.Or(canonical(p.name), statePrefix+readingList)); err != nil {
		return err
	}
	w.buf.WriteString(`,"title":`)
	if err := encode(&w.buf, p.title); err != nil {
		return err
	}
	w.buf.WriteString(`,"updated":` + strconv.FormatInt(p.updated, 10) + `,"items":[`)
	last, ended, err := w.items(r.Context(), p.ids, false)
	if err != nil {
		return err
	}
	w.buf.WriteByte(']')
	if (p.more || ended) && last > 0 {
		w.buf.WriteString(`,"continuation":"` + last.String() + `"`)
	}
	w.buf.WriteString("}\n")
	return r.bytes(jsonType, w.buf.Bytes())
}

// itemContents answers the items of some ids, however many are asked for.
func (s *server) itemContents(r *request) error {
	ids := parseItems(r.form["i"])
	w, err := s.newWriter(r)
	if err != nil {
		return err
	}
	w.single, w.put = len(ids) > maxContents, w.json
	w.buf.WriteString(`{"direction":"ltr","id":"` + statePrefix + readingList + `","updated":` +
		strconv.FormatInt(s.Clock.Now().Unix(), 10) + `,"items":[`)
	if _, _, err := w.items(r.Context(), ids, true); err != nil {
		return err
	}
	w.buf.WriteString("]}\n")
	return r.bytes(jsonType, w.buf.Bytes())
}

// itemIDs answers ids alone.
func (s *server) itemIDs(r *request) error {
	q, none, err := s.itemQuery(r, r.form.Get("s"), maxIDs)
	if err != nil {
		return err
	}
	var ids []reader.ItemID
	more := false
	if !none {
		if ids, more, err = s.Streams.IDs(r.Context(), r.caller.User, q); err != nil {
			return err
		}
	}
	now := s.Clock.Now().UnixMicro()
	direct := r.form.Get("includeAllDirectStreamIds") == "true" || r.form.Get("includeAllDirectStreamIds") == "1"
	b := append(make([]byte, 0, 96*len(ids)+64), `{"itemRefs":[`...)
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"id":"`...)
		b = strconv.AppendUint(b, uint64(id), 10)
		b = append(b, `","directStreamIds":[`...)
		if direct {
			b = append(b, `"feed/`...)
			b = append(strconv.AppendUint(b, uint64(id.Feed()), 10), '"')
		}
		b = append(b, `],"timestampUsec":"`...)
		b = strconv.AppendInt(b, min(lastOf(id.Stamp()).UnixMicro(), now), 10)
		b = append(b, `"}`...)
	}
	b = append(b, ']')
	if more {
		b = append(b, `,"continuation":"`+ids[len(ids)-1].String()+`"`...)
	}
	return r.bytes(jsonType, append(b, "}\n"...))
}
