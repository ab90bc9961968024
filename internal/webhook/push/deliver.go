package push

import (
	"cmp"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/webhook"
)

const (
	// keptFor is how long a push service keeps a message for a device that is off.
	keptFor      = 12 * time.Hour
	listedTitles = 3
	maxTitle     = 200
)

// notification is what the service worker shows (web/src/worker/push.ts).
type notification struct {
	Title    string `json:"title"`
	Body     string `json:"body"`
	Path     string `json:"path"` // what it opens
	Tag      string `json:"tag"`
	Language string `json:"lang"`
}

// notificationOf puts new items into words: one by itself, several as their number and the first titles.
func notificationOf(u reader.UserID, news []stream.Arrival, language string) *notification {
	n := &notification{Tag: topic(u), Language: language}
	feeds := map[reader.FeedID]bool{}
	var titles []string
	for i := range news {
		x := &news[i]
		feeds[x.Feed] = true
		if i < listedTitles {
			titles = append(titles, webhook.Clip(cmp.Or(x.Header.Title, x.Header.Link, x.In.Title()), maxTitle))
		}
	}
	feed := news[0].In
	list := "/feed/" + news[0].Feed.String()
	switch {
	case len(news) == 1:
		n.Title, n.Path = feed.Title(), list+"/i/"+news[0].ID.String()
	case len(feeds) == 1:
		n.Title = fmt.Sprintf(texts.NewArticles.In(language), len(news), feed.Title())
		n.Path = list + "?f=unread"
	default:
		n.Title = fmt.Sprintf(texts.NewFromFeeds.In(language), len(news), len(feeds))
		n.Path = "/all?f=unread"
	}
	n.Title, n.Body = webhook.Clip(n.Title, maxTitle), strings.Join(titles, "\n")
	return n
}

// outcome of one attempt.
type outcome int

const (
	taken   outcome = iota
	later           // the push service is busy or away
	refused         // for a reason of ours
	gone            // the browser has unsubscribed
)

// deliver sends news to one device and draws the consequences: a device that is gone, or whose session has ended, is
// removed; one that cannot be reached now is tried again by a message. j is that message.
func (s *Service) deliver(ctx context.Context, d *store.DeviceRow, news []stream.Arrival, j job.Job) error {
	_, err := s.Store.Accounts.Session(ctx, j.User, d.Session)
	out, wait := gone, time.Duration(0)
	if err == nil {
		out, wait, err = s.post(ctx, d, notificationOf(j.User, news, d.Language))
	}
	if fault.Ignore(err, fault.NotFound) != nil {
		return err
	}
	now := s.now()
	switch {
	case out == gone, out != taken && d.Failing > 0 && now-d.Failing >= removedAfter.Milliseconds():
		s.Log.Info("a device is gone and was removed", "user", j.User, "device", d.ID())
		return s.forget(ctx, j.User, d.ID())
	case out == taken && (d.Failing > 0 || now-d.Okay >= okayEvery.Milliseconds()):
		return s.Store.Notices.Tried(ctx, j.User, d.ID(), now, 0)
	case out == taken:
		return nil
	case out == later && j.Attempt < len(delays):
		j.Due = s.Clock.Now().Add(max(delays[j.Attempt], min(wait, keptFor))).UnixMilli()
		j.Attempt++
		return s.send(ctx, j)
	case d.Failing == 0:
		return s.Store.Notices.Tried(ctx, j.User, d.ID(), d.Okay, now)
	}
	return nil
}

// post makes one attempt. It returns how long the push service asks to wait before the next one.
func (s *Service) post(ctx context.Context, d *store.DeviceRow, n *notification) (out outcome, wait time.Duration,
	err error) {
	own, err := s.identity(ctx)
	if err != nil {
		return refused, 0, err
	}
	token, err := own.authorization(d.Endpoint, s.Contact, s.Clock.Now())
	if err != nil {
		return refused, 0, err
	}
	message, err := json.Marshal(n)
	if err != nil || len(message) > maxMessage {
		return refused, 0, errors.Join(err, fmt.Errorf("push: a message of %d bytes", len(message)))
	}
	public, err := ecdh.P256().NewPublicKey(d.Public)
	if err != nil {
		return gone, 0, nil // a damaged row: the page registers the device anew
	}
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return refused, 0, err
	}
	body, err := encrypt(message, public, d.Auth, private, random(saltSize))
	if err != nil {
		return refused, 0, err
	}
	resp, err := s.Fetch.Do(ctx, fetch.Request{URL: d.Endpoint, Accept: "*/*", Post: &fetch.Post{
		ContentType: "application/octet-stream", Body: body, Header: map[string]string{
			"Content-Encoding": "aes128gcm", "TTL": strconv.Itoa(int(keptFor / time.Second)), "Topic": n.Tag,
			"Urgency": "normal", "Authorization": token,
		}}})
	var failed *fetch.Error
	switch {
	case ctx.Err() != nil:
		return later, 0, ctx.Err() // we were stopped
	case errors.As(err, &failed):
		return later, 0, nil
	case err != nil:
		return later, 0, err
	}
	defer resp.Release()
	switch status := resp.Status; {
	case status/100 == 2:
		return taken, 0, nil
	case status == 404, status == 410:
		return gone, 0, nil
	case status == 429, status/100 == 5:
		return later, resp.RetryAfter, nil
	}
	s.Log.Warn("a push service refused a message", "device", d.ID(), "status", resp.Status)
	return refused, 0, nil
}
