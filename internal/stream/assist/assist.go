// Package assist says what an article is about: by sentences of its own that stand for it, which needs no model and
// costs nothing, or by a language model that the owner has set up. A model is asked when a person asked for it and has
// agreed to its host; what it used is counted by user and month, against a limit.
//
// The text of an article is data. It is sent between marks that it cannot know, the model has no tools, and of its
// answer only plain text is kept.
package assist

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Providers.
const (
	Extract = "extract" // key sentences alone
	OpenAI  = "openai"
	Bedrock = "bedrock"
)

// Options are the owner's settings.
type Options struct {
	Provider, URL, Model, Region string
	// Key reads the key of the service, "" for none.
	Key func(ctx context.Context) (string, error)
	// Tokens is the owner's limit of a month, UserTokens that of each other user.
	Tokens, UserTokens int64
	// Patience is how long a model may take.
	Patience time.Duration
	// Streams: answers can be passed on while they come.
	Streams bool
	Client  func(address *url.URL) Doer // makes a client that reaches this address alone
	Sign    Sign                        // nil where requests to AWS cannot be signed
}

// Service answers requests of people who read an article.
type Service struct {
	o     Options
	model model // nil: key sentences alone
	host  string
	store *store.Store
	clock clock.Clock
	log   *slog.Logger
	// Sleep waits before the second try; tests replace it.
	Sleep func(ctx context.Context, d time.Duration) error
}

// New returns the service. An error says what is wrong with the settings.
func New(s *store.Store, c clock.Clock, log *slog.Logger, o Options) (*Service, error) {
	a := &Service{o: o, store: s, clock: c, log: log, Sleep: clock.Sleep}
	switch o.Provider {
	case "", Extract:
		return a, nil
	case Bedrock:
		if o.Sign == nil || o.Region == "" {
			return a, errors.New("RURI_AI_PROVIDER is bedrock: set RURI_AI_REGION, such as us-east-1")
		}
		o.URL = cmp.Or(o.URL, bedrockURL(o.Region))
	}
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || o.Model == "" {
		return a, errors.New("RURI_AI_PROVIDER needs RURI_AI_MODEL and, as RURI_AI_URL, an address such as " +
			"http://localhost:11434/v1")
	}
	a.host = u.Host
	if o.Provider == Bedrock {
		a.model = &bedrock{client: o.Client(u), url: o.URL, region: o.Region, model: o.Model, sign: o.Sign}
	} else {
		a.model = &openAI{client: o.Client(u), url: o.URL, model: o.Model, key: o.Key}
	}
	return a, nil
}

// HasModel reports whether there is more than key sentences.
func (s *Service) HasModel() bool { return s.model != nil }

// By names the model and its host; empty without one.
func (s *Service) By() By {
	if s.model == nil {
		return By{Provider: Extract}
	}
	return By{s.o.Provider, s.o.Model, s.host}
}

// For is By, as far as the owner or another user may use it.
func (s *Service) For(isOwner bool) By {
	if s.limit(isOwner) == 0 {
		return By{Provider: Extract}
	}
	return s.By()
}

// Patience is how long an answer may take.
func (s *Service) Patience() time.Duration { return s.o.Patience }

// Streams reports whether answers can be passed on while they come.
func (s *Service) Streams() bool { return s.o.Streams && s.model != nil }

// Request is the request of a person.
type Request struct {
	User        reader.UserID
	IsOwner     bool
	Kind        Kind
	Lang        string // en or ja: that of the answer
	Title, Feed string
	HTML        string // sanitised
	// IsPrivate: the article's feed needs a password. EvenPrivate sends it all the same.
	IsPrivate, EvenPrivate bool
}

// By is the author of an answer.
type By struct{ Provider, Model, Host string }

// Usage counts tokens: of a request, and of a person's month with its limit.
type Usage struct{ ThisRequest, MonthlyUsed, MonthlyLimit int64 }

// Answer is an answer, or why there is none, with the article's key sentences in its place.
type Answer struct {
	Kind Kind
	Text string // lines of plain text
	Lang string // of an answer by a model
	By   By
	Of   int // how many sentences the article has, of Sentences
	// IsTruncated: the model has not seen all of the article, or not finished its answer.
	IsTruncated, IsCached, IsMeasured bool
	Usage                             Usage
	// Code, Reason and NextAt say why there is no answer of a model.
	Code, Reason string
	NextAt       time.Time
}

// cached is the stored form of an answer.
type cached struct {
	Text  string `json:"text"`
	IsCut bool   `json:"isCut,omitempty"`
}

// kept is the lifetime of cached answers.
const kept = 30 * 24 * time.Hour

// Ask answers a request. each is called with an answer so far, where it comes in parts; it may be nil.
func (s *Service) Ask(ctx context.Context, q Request, each func(text string)) (Answer, error) {
	list := paragraphs(q.HTML)
	key := keySentences(q.Title, list)
	if key.Sentences == nil {
		return Answer{}, fault.Coded(fault.Conflict, "assist_no_text")
	}
	out := Answer{Kind: Sentences, Text: strings.Join(key.Sentences, "\n"), Of: key.Of, By: By{Provider: Extract},
		IsMeasured: true}
	if s.model == nil {
		if q.Kind != Sentences {
			return out, fault.Coded(fault.NotFound, "assist_off")
		}
		return out, nil
	}
	month := s.clock.Now().UTC()
	limit := s.limit(q.IsOwner)
	row, err := s.store.Assist.Used(ctx, q.User, month)
	if err != nil {
		return out, err
	}
	out.Usage = Usage{MonthlyUsed: row.Used, MonthlyLimit: limit}
	if q.Kind == Sentences {
		return out, nil
	}
	if err := s.permit(ctx, q); err != nil {
		return out, err
	}
	text, isCut := cut(joined(list))
	cacheKey := s.cacheKey(q, text)
	var have cached
	if s.store.Cache.GetJSON(ctx, cacheKey, &have) {
		return s.answer(out, q, have, true), nil
	}
	used, f, err := s.fresh(ctx, q, text, &have, &out, each)
	if err != nil {
		return out, err
	}
	out.Usage.MonthlyUsed = used
	if f != nil {
		out.Code, out.Reason = f.code, f.reason
		if q.IsOwner && f.code == CodeRefused && f.log != "" {
			out.Reason += ": " + f.log // who can mend it is told what is wrong
		}
		if f.code == CodeUsed {
			out.NextAt = time.Date(month.Year(), month.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		}
		return out, nil
	}
	have.IsCut = have.IsCut || isCut
	s.store.Cache.PutJSON(context.WithoutCancel(ctx), cacheKey, have, kept)
	return s.answer(out, q, have, false), nil
}

func (s *Service) answer(out Answer, q Request, have cached, isCached bool) Answer {
	out.Kind, out.Text, out.Lang, out.By, out.Of = q.Kind, have.Text, q.Lang, s.By(), 0
	out.IsTruncated, out.IsCached = have.IsCut, isCached
	return out
}

// permit reports why an article's text may not be sent.
func (s *Service) permit(ctx context.Context, q Request) error {
	if s.limit(q.IsOwner) == 0 {
		return fault.Coded(fault.NotFound, "assist_off")
	}
	agreed, err := s.store.Assist.Agreed(ctx, q.User)
	if err != nil {
		return err
	}
	if _, ok := agreed[s.host]; !ok {
		return fault.Coded(fault.Conflict, "assist_not_agreed", s.host)
	}
	if q.IsPrivate && !q.EvenPrivate {
		return fault.Coded(fault.Conflict, "assist_private")
	}
	return nil
}

func (s *Service) limit(isOwner bool) int64 {
	if isOwner {
		return s.o.Tokens
	}
	return s.o.UserTokens
}

// cacheKey is the same for all who ask the same of the same text. Private texts are shared with nobody.
func (s *Service) cacheKey(q Request, text string) string {
	owner := ""
	if q.IsPrivate {
		owner = string(q.User)
	}
	return store.HashToken(strings.Join([]string{"assist", promptVersion, s.o.Provider, s.o.Model, s.host,
		string(q.Kind), q.Lang, owner, q.Title, text}, "\x00"))
}

// settleTime bounds the write after an answer, which is made even if the person has left.
const settleTime = 5 * time.Second

// fresh reserves tokens, asks the model and settles. A process that dies in between leaves the reservation counted.
func (s *Service) fresh(ctx context.Context, q Request, text string, have *cached, out *Answer,
	each func(string)) (used int64, _ *failure, err error) {
	month, p := s.clock.Now().UTC(), newPrompt(q.Kind, q.Lang, q.Title, q.Feed, text)
	most := q.Kind.mostTokens()
	if s.o.Provider == OpenAI {
		most = leastTokens
	}
	in := tokens(p.system + p.text)
	need := in + most
	err = s.store.Assist.Reserve(ctx, q.User, month, need, s.limit(q.IsOwner))
	if fault.Is(err, fault.Conflict) {
		return out.Usage.MonthlyUsed, &failure{code: CodeUsed}, nil
	}
	if err != nil {
		return 0, nil, err
	}
	answer, f := s.askModel(ctx, p, most, each)
	settled := reply{in: answer.in, out: answer.out}
	out.IsMeasured = answer.in+answer.out > 0
	switch {
	case f != nil && f.isBilled:
		settled = reply{in: in, out: most}
	case f == nil && !out.IsMeasured:
		settled = reply{in: in, out: tokens(answer.text)}
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	row, err := s.store.Assist.Settle(after, q.User, month, need, settled.in, settled.out)
	if err != nil {
		return 0, nil, err
	}
	out.Usage.ThisRequest = settled.in + settled.out
	if err := ctx.Err(); f != nil && errors.Is(err, context.Canceled) {
		return 0, nil, fault.New(fault.Cancelled, "", "assist", err)
	}
	*have = cached{plain(answer.text), answer.isCut}
	if f == nil && isNothing(have.Text) {
		f = &failure{code: CodeEmpty}
	}
	if f != nil {
		s.log.Warn("a language model gave no answer", "host", s.host, "code", f.code, "reason", f.reason, "said", f.log)
	}
	return row.Used, f, nil
}

// askModel asks, and once more where the service says when. After a part of an answer has come it is not asked again.
func (s *Service) askModel(ctx context.Context, p prompt, most int64, each func(string)) (reply, *failure) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	begun := false
	var part func(string)
	if each != nil {
		shown, seen := "", 0
		part = func(text string) {
			begun = true
			if len(text)-seen < 24+len(text)/32 {
				return // a few words more
			}
			seen = len(text)
			if next := settled(text); next != shown {
				shown = next
				each(next)
			}
		}
	}
	for try := 1; ; try++ {
		answer, err := s.model.ask(ctx, p, most, part)
		if err == nil {
			return answer, nil
		}
		var f *failure
		if !errors.As(err, &f) {
			f = &failure{code: CodeKey, log: err.Error()} // it could not be read, or not be used
		}
		if try > 1 || begun || f.wait <= 0 || f.wait > longestWait || s.Sleep(ctx, f.wait) != nil {
			return answer, f
		}
	}
}

// State is the assistant as the settings show it.
type State struct {
	By       By
	IsAgreed bool
	Usage    Usage
	Requests int64
}

// State returns what a user may use, and has used in the month.
func (s *Service) State(ctx context.Context, u reader.UserID, isOwner bool) (out State, err error) {
	out.By = s.By()
	if s.model == nil {
		return out, nil
	}
	agreed, err := s.store.Assist.Agreed(ctx, u)
	if err != nil {
		return out, err
	}
	_, out.IsAgreed = agreed[s.host]
	row, err := s.store.Assist.Used(ctx, u, s.clock.Now())
	out.Usage, out.Requests = Usage{MonthlyUsed: row.Used, MonthlyLimit: s.limit(isOwner)}, row.Requests
	return out, err
}

// Agree records that a user allows articles to be sent to a host, or takes that back. The host is the one that the
// person was shown, so that nobody agrees to another one.
func (s *Service) Agree(ctx context.Context, u reader.UserID, host string, isAgreed bool) error {
	if s.model == nil || isAgreed && host != s.host {
		return fault.Coded(fault.Conflict, "assist_host", s.host)
	}
	if !isAgreed {
		host = ""
	}
	return s.store.Assist.Agree(ctx, u, host, s.clock.Now())
}

func joined(list []paragraph) string {
	var all []string
	for _, p := range list {
		all = append(all, p.text)
	}
	return strings.Join(all, "\n")
}
