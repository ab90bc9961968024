package webhook

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Body is the JSON of a delivery; docs/use/webhooks.md documents it.
type Body struct {
	Event    string `json:"event"`
	Delivery string `json:"delivery"`
	Webhook  string `json:"webhookId"`
	// Search is the saved search that the webhook is for; absent without one.
	Search *BodySearch `json:"search,omitempty"`
	Feed   *BodyFeed   `json:"feed"`
	Items  []Item      `json:"items"`
	// Problem is the reason why the feed has stopped, or the problem of its watch.
	Problem *Problem `json:"problem,omitempty"`
	// Budget is the month whose bill makes polling slower.
	Budget *Budget `json:"budget,omitempty"`
}

// Budget describes a month whose bill has come near its limit.
type Budget struct {
	Month   string  `json:"month"`
	Percent int     `json:"percent"` // of the limit
	Spent   float64 `json:"spentUSD"`
	Limit   float64 `json:"limitUSD"`
	Slow    int32   `json:"intervalFactor"`
}

// Problem describes the problem of a feed or a watch.
type Problem struct {
	Code      string  `json:"code"`
	Category  string  `json:"category"`
	Since     string  `json:"since"`
	IsStopped bool    `json:"isStopped"`
	NextCheck *string `json:"nextCheckAt"`
}

// BodySearch is the saved search that the items match.
type BodySearch struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// BodyFeed is the feed of the items.
type BodyFeed struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	SiteURL string `json:"siteUrl"`
}

// bodyFeed is a feed under the name that its reader sees.
func bodyFeed(f *store.FeedRow, own *store.SubscriptionRow) *BodyFeed {
	return &BodyFeed{ID: f.ID().String(), Title: cmp.Or(own.Title, f.DisplayTitle()), SiteURL: f.Site}
}

// Item is one item, with the fields of the API's lists.
type Item struct {
	ID          string      `json:"id"`
	FeedID      string      `json:"feedId"`
	Title       string      `json:"title"`
	Link        string      `json:"link"`
	Author      string      `json:"author"`
	PublishedAt string      `json:"publishedAt"`
	UpdatedAt   *string     `json:"updatedAt"`
	Snippet     string      `json:"snippet"`
	ImageURL    *string     `json:"imageUrl"`
	ImageWidth  *uint16     `json:"imageWidth"`
	ImageHeight *uint16     `json:"imageHeight"`
	Categories  []string    `json:"categories"`
	Lang        string      `json:"lang"`
	Enclosures  []Enclosure `json:"enclosures"`
	Offer       *Offer      `json:"offer,omitempty"` // of an item of a watch
}

// Offer is the offer that an item of a watch announces. Amounts are in minor units, null for none.
type Offer struct {
	Event    string `json:"event"`
	WatchID  string `json:"watchId"`
	ResultID string `json:"resultId"`
	Price    *int64 `json:"price"`
	Before   *int64 `json:"before"`
	Currency string `json:"currency"`
	Status   string `json:"status"`
}

// Enclosure is a file attached to an item.
type Enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type"`
	Length int64  `json:"length"`
}

func itemOf(id reader.ItemID, feed reader.FeedID, h *store.Header) Item {
	out := Item{
		ID: id.String(), FeedID: feed.String(), Title: h.Title, Link: h.Link, Author: h.Author,
		PublishedAt: rfc3339(h.Shown()),
		Snippet:     h.Snippet, Categories: h.Categories, Lang: h.Lang,
		Enclosures: make([]Enclosure, 0, len(h.Enclosures)),
	}
	if h.Updated > 0 {
		t := rfc3339(h.Updated)
		out.UpdatedAt = &t
	}
	if h.Image != "" {
		out.ImageURL = &h.Image
		if h.ImageSize.Width > 0 {
			out.ImageWidth, out.ImageHeight = &h.ImageSize.Width, &h.ImageSize.Height
		}
	}
	if out.Categories == nil {
		out.Categories = []string{}
	}
	for _, e := range h.Enclosures {
		out.Enclosures = append(out.Enclosures, Enclosure(e))
	}
	out.Offer = OfferOf(feed, h.Offer)
	return out
}

// OfferOf shapes what an item of a feed announces, in deliveries and in the API's lists; nil for nil.
func OfferOf(feed reader.FeedID, o *store.Offer) *Offer {
	if o == nil {
		return nil
	}
	return &Offer{
		Event: o.Event, WatchID: feed.String(), ResultID: strconv.FormatUint(o.Key, 16), Price: amount(o.Price),
		Before:   amount(o.Before),
		Currency: o.Currency, Status: o.Status,
	}
}

// amount returns a price, or nil for none.
func amount(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

func rfc3339(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

// Sign returns the signature of a body for a timestamp in Unix seconds.
func Sign(secret, timestamp string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(timestamp))
	m.Write([]byte{'.'})
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// request makes the request of a delivery in the webhook's format. The error is one of ours if the webhook's settings
// do not allow one (any more).
func (s *Service) request(ctx context.Context, u reader.UserID, hook *store.WebhookRow, b *Body) (string, *fetch.Post,
	error) {
	if hook.Form == "" {
		post, err := s.signed(hook, b)
		return hook.URL, post, err
	}
	f, known := formats[hook.Form]
	if !known { // of a later version
		return "", nil, fault.Coded(fault.Invalid, "webhook_bad_format")
	}
	key, err := s.key(ctx, u, hook.Key, hook.URL)
	if err != nil {
		return "", nil, err
	}
	m := messageOf(b, s.language(ctx, u))
	if hook.Form == FormatOwn {
		return ownRequest(hook.URL, hook.Template, hook.ShownHeaders(), key, m)
	}
	if f.signIn != "" {
		if key, err = s.signIn(ctx, f, hook.URL, key); err != nil {
			return "", nil, err
		}
	}
	return f.request(hook.URL, key, m)
}

// signed makes the request of our own format.
func (s *Service) signed(hook *store.WebhookRow, b *Body) (*fetch.Post, error) {
	b.Webhook = hook.Hook()
	body, err := plainJSON(b)
	if err != nil {
		return nil, err
	}
	at := strconv.FormatInt(s.clock.Now().Unix(), 10)
	return &fetch.Post{ContentType: jsonType, Body: body, Header: map[string]string{
		"X-Ruri-Event": b.Event, "X-Ruri-Delivery": b.Delivery, "X-Ruri-Timestamp": at,
		"X-Ruri-Signature": Sign(hook.Secret, at, body),
	}}, nil
}

// signIn exchanges a key, the fields of a form, for a token (RFC 6749, 4.3).
func (s *Service) signIn(ctx context.Context, f format, address, key string) (token string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fault.Coded(fault.Invalid, "bad_webhook_url")
	}
	u.Path, u.RawPath = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), f.end)+f.signIn, ""
	resp, err := s.fetch.Do(ctx, fetch.Request{URL: u.String(), Accept: jsonType, MaxBytes: maxAnswer,
		Post: &fetch.Post{ContentType: formType, Body: []byte("grant_type=password&" + key), Answered: true}})
	if err != nil {
		return "", err
	}
	defer resp.Release()
	var answer struct {
		Token string `json:"access_token"`
	}
	if resp.Status/100 != 2 || json.Unmarshal(resp.Body, &answer) != nil || answer.Token == "" ||
		strings.ContainsFunc(answer.Token, func(r rune) bool { return r <= ' ' || r >= 127 }) {
		return "", fault.Coded(fault.Invalid, "webhook_sign_in")
	}
	return answer.Token, nil
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 10

// language is the user's, for what formats for people say.
func (s *Service) language(ctx context.Context, u reader.UserID) string {
	if p, err := s.store.Preferences.Get(ctx, u); err == nil {
		if l, ok := p["language"].(string); ok {
			return l
		}
	}
	return texts.English
}

// post makes one attempt. It returns the outcome, and how long the address asks to wait before the next one.
func (s *Service) post(ctx context.Context, u reader.UserID, hook *store.WebhookRow, b *Body) (out store.HookOutcome,
	wait time.Duration, err error) {
	began := s.clock.Now()
	out = store.HookOutcome{Delivery: b.Delivery, Event: b.Event, At: began.UnixMilli()}
	var resp *fetch.Response
	address, post, err := s.request(ctx, u, hook, b)
	if err == nil {
		resp, err = s.fetch.Do(ctx, fetch.Request{URL: address, Accept: "*/*", MaxBytes: maxAnswer, Post: post})
	}
	out.Millis = s.clock.Now().Sub(began).Milliseconds()
	var fe *fetch.Error
	var wrong *fault.Error
	switch {
	case ctx.Err() != nil:
		return out, 0, ctx.Err() // we were stopped: the address did not fail
	case errors.As(err, &fe):
		out.Code = fe.Code
		return out, 0, nil
	case errors.As(err, &wrong) && wrong.Kind == fault.Invalid:
		out.Code = wrong.Code
		return out, 0, nil
	case err != nil:
		return out, 0, err
	}
	defer resp.Release()
	out.Status = resp.Status
	switch {
	case out.Status/100 == 3:
		out.Code = "redirected"
	case out.Status/100 != 2, !formats[hook.Form].confirms(resp.ContentType, resp.Body):
		out.Code = "refused"
	}
	return out, resp.RetryAfter, nil
}

// deliver makes one attempt of the delivery that a job of kind Hook asks for, records a failure or a recovery in the
// webhook's row, and schedules a retry or gives the delivery up. The outcome has no code if it succeeded.
//
// The message for the retry is sent first: a crash after it means one more attempt under the same id.
func (s *Service) deliver(ctx context.Context, hook *store.WebhookRow, b *Body, j job.Job) (store.HookOutcome,
	error) {
	out, wait, err := s.post(ctx, j.User, hook, b)
	if err != nil {
		return out, err
	}
	j.Attempt++
	if out.Code != "" && j.Attempt < Attempts {
		if err := s.scheduleRetry(ctx, j, wait); err != nil {
			return out, err
		}
	}
	if out.Code == "" && hook.Failing == 0 && out.At-hook.Okay < okayEvery.Milliseconds() {
		return out, nil
	}
	row, err := s.store.Webhooks.Change(ctx, j.User, j.Hook, func(row *store.WebhookRow) {
		record(row, out)
		if out.Code != "" && j.Attempt >= Attempts {
			giveUp(row, j, out)
		}
	})
	if err != nil {
		return out, fault.Ignore(err, fault.NotFound) // deleted meanwhile
	}
	wasOn := hook.On()
	*hook = *row
	if wasOn && row.Off == OffFailing {
		s.log.Info("a webhook was switched off", "webhook", j.Hook, "code", out.Code)
		return out, s.UpdateFeeds(ctx, j.User)
	}
	return out, nil
}

func feedOf(j job.Job) reader.FeedID {
	if len(j.Feeds) == 1 {
		return j.Feeds[0]
	}
	return 0
}

// scheduleRetry sends the message for the next attempt of a delivery, at the earliest when the address asks for it.
func (s *Service) scheduleRetry(ctx context.Context, j job.Job, asked time.Duration) error {
	wait := max(delays[j.Attempt-1], min(asked, delays[len(delays)-1]))
	j.Due = s.clock.Now().Add(wait).UnixMilli()
	return s.send(ctx, j, wait)
}

// addOutcome adds an outcome to the last ones in a webhook's row.
func addOutcome(row *store.WebhookRow, out store.HookOutcome) {
	seen := append([]store.HookOutcome{out}, row.Seen()...)
	row.SetSeen(seen[:min(len(seen), keptOutcomes)])
}

// record adds an outcome to the list and applies its consequences. After a week without a success the webhook is
// switched off.
func record(row *store.WebhookRow, out store.HookOutcome) {
	addOutcome(row, out)
	if out.Code == "" {
		row.Failing, row.Okay = 0, out.At
		return
	}
	if row.Failing == 0 {
		row.Failing = out.At
	}
	if row.On() && out.At-row.Failing >= givenUpAfter.Milliseconds() {
		row.Off, row.OffAt = OffFailing, out.At
	}
}

// giveUp adds the delivery of a job to the list of those given up, once.
func giveUp(row *store.WebhookRow, j job.Job, out store.HookOutcome) {
	d := store.DeadDelivery{HookOutcome: out, Feed: feedOf(j), First: j.First, Item: j.Item, Tries: j.Attempt}
	others := slices.DeleteFunc(row.GivenUp(), func(old store.DeadDelivery) bool { return old.Delivery == d.Delivery })
	dead := append([]store.DeadDelivery{d}, others...)
	row.SetGivenUp(dead[:min(len(dead), keptDead)])
}
