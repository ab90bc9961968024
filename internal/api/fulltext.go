package api

import (
	"context"
	"net/http"

	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/stream"
)

// FullText reads the pages that items link to.
type FullText interface {
	Of(ctx context.Context, link string) (fulltext.Text, error)
}

// textsPerMinute is how many linked pages a user may open in a minute: each may be a request to a stranger's site.
const textsPerMinute = 20

type fullTextJSON struct {
	State       string  `json:"state"` // ok, robots, failed, empty
	Code        *string `json:"code"`
	Message     *string `json:"message"` // in words, what a state other than ok means
	URL         string  `json:"url"`
	ContentHTML string  `json:"contentHtml"`
	Characters  int     `json:"characters"`
	Lang        *string `json:"lang"`
	SiteName    *string `json:"siteName"`
	Title       *string `json:"title"`
}

func (s *Server) getFullText(r *request) error {
	id, err := r.itemID()
	if err != nil {
		return err
	}
	e, _, err := s.Streams.Find(r.Context(), r.user, id)
	if err != nil {
		return err
	}
	t, err := s.fullText(r, &e)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, t)
}

// fullText reads the page of an item, as fast as the user may.
func (s *Server) fullText(r *request, e *stream.Entry) (*fullTextJSON, error) {
	if wait := s.limits.texts.take(string(r.user), s.Clock.Now()); wait > 0 {
		return nil, &limited{wait}
	}
	t, err := s.FullText.Of(r.Context(), e.Header.Link)
	if err != nil {
		return nil, err
	}
	out := &fullTextJSON{
		State: string(t.State), Code: orNull(t.Code), URL: t.URL, ContentHTML: t.HTML, Characters: t.Characters,
		Lang: orNull(t.Lang), SiteName: orNull(t.SiteName), Title: orNull(t.Title),
	}
	if t.State != fulltext.OK {
		sp := speechOf(r.Context())
		sp.isUsed = true
		say := textWords(t).in(sp.language)
		out.Message = &say
	}
	return out, nil
}

// ofOpened is fullText for an item that is opened with it: a page that cannot be read now, or a user who opens items
// faster than pages may be asked, leaves the item as its feed has it.
func (s *Server) ofOpened(r *request, e *stream.Entry, sub *stream.Subscribed) *fullTextJSON {
	if s.FullText == nil || sub.Sub == nil || !sub.Sub.FullText {
		return nil
	}
	t, err := s.fullText(r, e)
	if err != nil {
		return nil
	}
	return t
}

// stateWords say why there is no full text; of a failure its own code says more.
var stateWords = map[fulltext.State]text{
	fulltext.Robots: {"The site asks programs not to read this page, so it is not fetched. Open it in the browser.", "このサイトはプログラムによるページの取得を断っているため、取得しません。ブラウザで開いてください。"},
	fulltext.Empty:  {"No article could be told from the rest of the page. Open it in the browser.", "ページから本文を取り出せませんでした。ブラウザで開いてください。"},
	fulltext.Failed: {"The page could not be read. Open it in the browser.", "ページを読み込めませんでした。ブラウザで開いてください。"},
}

var textCodeWords = map[string]text{
	fulltext.CodeNoLink:   {"This item names no page.", "この記事にはリンク先のページがありません。"},
	fulltext.CodeNotHTML:  {"What the item links to is not a page of text.", "リンク先は文章のページではありません。"},
	fulltext.CodeTooHeavy: {"The page is too large to be taken apart. Open it in the browser.", "ページが大きすぎて本文を取り出せません。ブラウザで開いてください。"},
}

func textWords(t fulltext.Text) text {
	if say, ok := textCodeWords[t.Code]; ok {
		return say
	}
	if w, ok := wordsOf(t.Code); ok && t.State == fulltext.Failed && w.say.en != "" {
		return w.say
	}
	return stateWords[t.State]
}
