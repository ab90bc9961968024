package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream/assist"
)

// assistsPerMinute limits what a user asks the assistant.
const assistsPerMinute = 10

// What every answer of the assistant has (K-19): so nothing needs to be asked for before, or again and again.
type tokenUsageJSON struct {
	ThisRequest  int64 `json:"thisRequest"`
	MonthlyUsed  int64 `json:"monthlyUsed"`
	MonthlyLimit int64 `json:"monthlyLimit"`
}

type assistantJSON struct {
	Provider string  `json:"provider"` // extract, openai, bedrock
	Model    *string `json:"model"`
	Host     *string `json:"host"`
}

func assistant(by assist.By) assistantJSON {
	return assistantJSON{by.Provider, orNull(by.Model), orNull(by.Host)}
}

type assistJSON struct {
	State       string         `json:"state"` // ok, failed
	Kind        assist.Kind    `json:"kind"`  // of the text
	Text        string         `json:"text"`
	Lang        *string        `json:"lang"`
	By          assistantJSON  `json:"by"`
	IsExtract   bool           `json:"isExtract"`
	Sentences   *int           `json:"sentences"`
	IsTruncated bool           `json:"isTruncated"`
	IsCached    bool           `json:"isCached"`
	IsMeasured  bool           `json:"isMeasured"`
	Code        *string        `json:"code"`
	Message     *string        `json:"message"`
	NextAt      moment         `json:"nextAt"`
	TokenUsage  tokenUsageJSON `json:"tokenUsage"`
}

func (s *Server) assistRoutes() []Route {
	return []Route{
		{Method: "POST", Path: "/api/items/{id}/assist", ID: pathItem, Patient: true, Handle: with(s.assistItem)},
		{Method: "GET", Path: "/api/assist", Handle: s.getAssist},
		{Method: "PUT", Path: "/api/assist/agreement", Person: true, Handle: with(s.agreeToAssist)},
	}
}

type assistInput struct {
	Kind        assist.Kind `json:"kind" required:"true"`
	Language    string      `json:"language,omitempty"`
	FullText    bool        `json:"fullText,omitempty"`
	EvenPrivate bool        `json:"evenPrivate,omitempty"`
}

// assistItem says what an article is about. Where a model's answer comes in parts, a client that accepts events gets
// them.
func (s *Server) assistItem(r *request, in assistInput) error {
	in.Language = cmp.Or(in.Language, r.language())
	if !in.Kind.Valid() {
		return fault.Coded(fault.Invalid, "bad_kind", string(in.Kind)).At("kind")
	}
	if in.Language != texts.English && in.Language != texts.Japanese {
		return fault.Coded(fault.Invalid, "bad_kind", in.Language).At("language")
	}
	if err := s.limits.assists.take(string(r.user)); err != nil {
		return err
	}
	q, err := s.assistRequest(r, in)
	if err != nil {
		return err
	}
	if !s.Assist.Streams() || in.Kind == assist.Sentences || !strings.Contains(r.list("Accept"), eventStream) {
		a, err := s.Assist.Ask(r.Context(), q, nil)
		if err != nil {
			return err
		}
		return r.json(http.StatusOK, assisted(&a, r.language()))
	}
	e := &events{r: r}
	a, err := s.Assist.Ask(r.Context(), q, func(text string) { e.send("text", map[string]string{"text": text}) })
	switch {
	case err == nil:
		e.send("done", assisted(&a, r.language()))
	case e.isBegun:
		e.send("error", describe(err, s.Clock.Now(), r.language()))
	default:
		return err
	}
	return e.err
}

// assistRequest collects the article as it is shown.
func (s *Server) assistRequest(r *request, in assistInput) (q assist.Request, err error) {
	e, sub, err := s.Streams.Find(r.Context(), r.user, r.item)
	if err != nil {
		return q, err
	}
	b, err := s.Streams.Body(r.Context(), r.user, e, sub)
	if err != nil {
		return q, err
	}
	html := b.HTML
	if in.FullText && s.FullText != nil {
		t, err := s.fullText(r, &e)
		if err != nil {
			return q, err
		}
		html = cmp.Or(t.ContentHTML, html)
	}
	q = assist.Request{
		User: r.user, Kind: in.Kind, Lang: in.Language, Title: e.Header.Title, Feed: e.FeedTitle, HTML: html,
		// An article whose feed is gone may have come from a private one.
		IsPrivate: sub == nil || reader.IsPrivateURL(sub.Feed.URL), EvenPrivate: in.EvenPrivate,
	}
	q.IsOwner, err = s.ownsReader(r)
	return q, err
}

// ownsReader reports whether the user is the owner, where a model makes a difference.
func (s *Server) ownsReader(r *request) (bool, error) {
	if !s.Assist.HasModel() {
		return false, nil
	}
	return s.isOwner(r)
}

func (s *Server) isOwner(r *request) (bool, error) {
	a, err := s.Auth.Account(r.Context(), r.user)
	return err == nil && a.Owner, err
}

func assisted(a *assist.Answer, lang string) assistJSON {
	out := assistJSON{
		State: "ok", Kind: a.Kind, Text: a.Text, Lang: orNull(a.Lang), By: assistant(a.By),
		IsExtract: a.Kind == assist.Sentences, Sentences: orNull(a.Of),
		IsTruncated: a.IsTruncated, IsCached: a.IsCached, IsMeasured: a.IsMeasured,
		NextAt: momentOf(a.NextAt), TokenUsage: tokenUsageJSON(a.Usage),
	}
	if a.Code != "" {
		message := texts.Assist(a.Code, a.Reason, a.NextAt).In(lang)
		out.State, out.Code, out.Message = "failed", &a.Code, &message
	}
	return out
}

// getAssist answers what the settings show.
func (s *Server) getAssist(r *request) error {
	isOwner, err := s.ownsReader(r)
	if err != nil {
		return err
	}
	st, err := s.Assist.State(r.Context(), r.user, isOwner)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, struct {
		assistantJSON
		IsAgreed   bool           `json:"isAgreed"`
		Streams    bool           `json:"streams"`
		Requests   int64          `json:"requests"`
		TokenUsage tokenUsageJSON `json:"tokenUsage"`
	}{assistant(st.By), st.IsAgreed, s.Assist.Streams(), st.Requests, tokenUsageJSON(st.Usage)})
}

func (s *Server) agreeToAssist(r *request, in struct {
	Host     string `json:"host" required:"true"`
	IsAgreed bool   `json:"isAgreed" required:"true"`
}) error {
	return r.done(s.Assist.Agree(r.Context(), r.user, in.Host, in.IsAgreed))
}

const eventStream = "text/event-stream"

// events answers with server-sent events.
type events struct {
	r       *request
	isBegun bool
	err     error
}

func (e *events) send(name string, v any) {
	if e.err != nil {
		return
	}
	out := http.NewResponseController(e.r.w)
	if !e.isBegun {
		e.isBegun = true
		h := e.r.Header()
		h.Set("Content-Type", eventStream)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")      // nginx would collect them
		_ = out.SetWriteDeadline(time.Time{}) // what is sent in all fits into buffers
	}
	data, err := json.Marshal(v)
	if err == nil {
		_, err = e.r.w.Write([]byte("event: " + name + "\ndata: " + string(data) + "\n\n"))
	}
	if err == nil {
		err = out.Flush()
	}
	e.err = err
}

// patience returns how long an operation may take.
func (s *Server) patience(route Route) time.Duration {
	if route.Patient {
		return max(deadline, s.Assist.Patience()+3*time.Second)
	}
	return deadline
}
