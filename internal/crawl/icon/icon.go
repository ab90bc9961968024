// Package icon finds the small images of feeds: the one that the feed names, those that its site's page names, or
// /favicon.ico. Its work comes through the queue, away from polls: an icon is never worth a late article. Each is
// stored once under the hash of its bytes, and looked for again after a month, or after a week when there was none.
// What a host has said holds for the other feeds there, also those of other messages, for half a day (memory.go).
//
// Decoding is a function that it is given (package thumb): the API, which only hands icons out, does without.
package icon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/content/robots"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// budget is how long one message is worked on, pause how long the rest waits then: the parts of hosts are
	// free for polls in between.
	budget = 30 * time.Second
	pause  = time.Minute
	// feedTime bounds the requests for one feed.
	feedTime = 20 * time.Second
	// perMessage bounds the feeds of a message that is sent.
	perMessage = 500
)

// Fetcher is the guarded client.
type Fetcher interface {
	Do(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Holder keeps the crawlers away from a host while it is asked.
type Holder interface {
	Hold(ctx context.Context, url string) (release func(), err error)
}

// Sender takes messages for the workers.
type Sender interface {
	Send(ctx context.Context, bodies [][]byte, delay time.Duration) error
}

// Shrink makes a small PNG of an image, and tells whether it is roughly square; what is no image is an error.
type Shrink func(body []byte) (png []byte, square bool, err error)

// Service finds, keeps and hands out icons.
type Service struct {
	store  *store.Store
	blobs  *blob.Bucket
	fetch  Fetcher
	hold   Holder
	queue  Sender
	clock  clock.Clock
	log    *slog.Logger
	shrink Shrink
}

// New binds the service to its seams.
func New(s *store.Store, b *blob.Bucket, f Fetcher, h Holder, q Sender, c clock.Clock, log *slog.Logger) *Service {
	return &Service{store: s, blobs: b, fetch: f, hold: h, queue: q, clock: c, log: log}
}

// WithShrink gives the service what it needs to find icons; for wiring. Without, it only hands them out.
func (s *Service) WithShrink(f Shrink) *Service {
	s.shrink = f
	return s
}

// Want asks for the icons of feeds.
func (s *Service) Want(ctx context.Context, feeds []reader.FeedID) error {
	var bodies [][]byte
	for some := range slices.Chunk(feeds, perMessage) {
		bodies = append(bodies, job.Job{Kind: job.Icon, Feeds: some}.Encode())
	}
	return s.queue.Send(ctx, bodies, 0)
}

// Get gives an icon by its name (store.IconName).
func (s *Service) Get(ctx context.Context, name string) ([]byte, error) {
	gone := fault.Newf(fault.NotFound, "icon_not_found", "There is no such icon.")
	hash, ok := store.ParseIconName(name)
	if !ok {
		return nil, gone
	}
	png, _, err := s.blobs.Get(ctx, store.IconBlobKey(hash), blob.Range{})
	if fault.Is(err, fault.NotFound) {
		return nil, gone
	}
	return png, err
}

// Run works through one message: it may be repeated, and stop at any step. What time does not allow, and feeds
// whose host is being asked by somebody else, go into another message.
func (s *Service) Run(ctx context.Context, j job.Job) error {
	if s.shrink == nil {
		return fault.New(fault.Unavailable, "no_image_decoder", "icon: run", nil)
	}
	started := s.clock.Now()
	look := &look{Service: s, rules: map[string]robots.Rules{}, known: map[string]visit{}}
	for i, id := range j.Feeds {
		err := look.one(ctx, id)
		busy := fault.CodeOf(err) == "part_busy"
		if err != nil && !busy {
			return err
		}
		rest := j.Feeds[i+1:]
		if busy {
			rest = j.Feeds[i:]
		}
		if len(rest) > 0 && (busy || s.clock.Now().Sub(started) >= budget) {
			return s.queue.Send(ctx, [][]byte{job.Job{Kind: job.Icon, Feeds: rest}.Encode()}, pause)
		}
	}
	return nil
}

// one looks for the icon of a feed. What a site does wrong means that there is none; the one there was is kept.
func (l *look) one(ctx context.Context, id reader.FeedID) error {
	f, err := l.store.Feeds.Get(ctx, id, true)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || !f.WantsIcon(l.clock.Now()) {
		return err
	}
	fetching, cancel := context.WithTimeout(ctx, feedTime)
	hash, err := l.find(fetching, f)
	l.letGo()
	cancel()
	if err != nil {
		return err
	}
	p := store.Patch{"iconAt": l.clock.Now().Unix()}
	if hash != nil {
		p["iconHash"] = hash
	}
	_, err = l.store.Feeds.Update(ctx, id, p, table.IfEqual("iconAt", f.IconAt))
	if fault.Is(err, fault.Conflict) {
		return nil // the same message came twice
	}
	l.log.Debug("icon looked for", "feed_id", uint32(id), "found", hash != nil)
	return err
}

// look is the search for icons of one message: one request at a time, each host held while it is asked.
type look struct {
	*Service
	rules map[string]robots.Rules // by origin
	known map[string]visit        // by what was asked for
	host  string
	free  func()
}

// found is an image that can be shown. Its blob is there.
type found struct {
	hash   []byte
	square bool
}

// find tries the feed's own image, then those of the site's page, then /favicon.ico; a banner is better than
// nothing. nil means that there is none.
func (l *look) find(ctx context.Context, f *store.FeedRow) ([]byte, error) {
	var banner []byte
	try := func(address string) ([]byte, error) {
		i, err := l.image(ctx, address)
		if i.hash != nil && !i.square {
			if banner == nil {
				banner = i.hash
			}
			i.hash = nil
		}
		return i.hash, err
	}
	if f.Icon != "" {
		if hash, err := try(f.Icon); hash != nil || err != nil {
			return hash, err
		}
	}
	page := f.Site
	if page == "" {
		page = root(f.URL)
	}
	named, end, err := l.page(ctx, page)
	if err != nil {
		return nil, err
	}
	for _, address := range append(named, root(end)+"favicon.ico") {
		if address == f.Icon {
			continue
		}
		if hash, err := try(address); hash != nil || err != nil {
			return hash, err
		}
	}
	return banner, nil
}

// page lists the icons that a page names, and tells where it was.
func (l *look) page(ctx context.Context, address string) (icons []string, end string, err error) {
	r := fetch.Request{URL: address, Accept: "text/html, application/xhtml+xml, */*;q=0.1"}
	v, err := l.get(ctx, "page", r, func(resp *fetch.Response) (visit, error) {
		return visit{Icons: discover.Icons(resp.FinalURL, resp.Body, resp.ContentType), End: resp.FinalURL}, nil
	})
	return v.Icons, cmp.Or(v.End, address), err
}

const maxImage = 2 << 20

func (l *look) image(ctx context.Context, address string) (found, error) {
	r := fetch.Request{URL: address, Accept: "image/png, image/webp, image/*;q=0.8, */*;q=0.1", MaxBytes: maxImage}
	v, err := l.get(ctx, "image", r, func(resp *fetch.Response) (visit, error) {
		png, square, err := l.shrink(resp.Body)
		if err != nil {
			return visit{}, nil //nolint:nilerr // not an image that can be shown
		}
		sum := sha256.Sum256(png)
		// The blob before what names it, here and in the feed's row.
		// Anew even where it is: as an old orphan it would be removed before it is named (package tidy).
		return visit{Hash: sum[:], Square: square}, l.blobs.Put(ctx, store.IconBlobKey(sum[:]), png, blob.Meta{ContentType: "image/png"})
	})
	return found{v.Hash, v.Square}, err
}

// get fetches what robots.txt allows: nobody asked for an icon but the reader itself. The zero visit means that there
// is nothing to be had.
func (l *look) get(ctx context.Context, kind string, r fetch.Request, read func(*fetch.Response) (visit, error)) (visit, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return visit{}, nil //nolint:nilerr // an address that a publisher made up
	}
	if v, ok := l.recall(ctx, kind, r.URL); ok {
		return v, nil
	}
	rules, err := l.robots(ctx, u.Scheme+"://"+u.Host)
	if err != nil || !rules.Allows(u.RequestURI()) {
		return visit{}, err
	}
	return l.once(ctx, kind, r, func(resp *fetch.Response) (visit, error) {
		if resp == nil || resp.Status != 200 {
			return visit{}, nil
		}
		return read(resp)
	})
}

// robots asks an origin what we may fetch there by ourselves.
func (l *look) robots(ctx context.Context, origin string) (robots.Rules, error) {
	if rules, ok := l.rules[origin]; ok {
		return rules, nil
	}
	r := fetch.Request{URL: origin + "/robots.txt", Accept: "text/plain, */*;q=0.1", MaxBytes: robots.MaxBytes}
	v, err := l.once(ctx, "robots", r, func(resp *fetch.Response) (visit, error) {
		if resp == nil {
			return visit{}, nil
		}
		return visit{Status: resp.Status, Robots: string(resp.Body)}, nil
	})
	rules := robots.Of(v.Status, []byte(v.Robots))
	if err == nil && ctx.Err() == nil {
		l.rules[origin] = rules
	}
	return rules, err
}

// once makes one request, unless it was made a moment ago for another feed. What the other side does wrong gives read
// no response.
func (l *look) once(ctx context.Context, kind string, r fetch.Request, read func(*fetch.Response) (visit, error)) (visit, error) {
	if ctx.Err() != nil {
		return visit{}, nil // this feed's time is over, which is no failure of ours
	}
	if v, ok := l.recall(ctx, kind, r.URL); ok {
		return v, nil
	}
	if host := fetch.HostOf(r.URL); l.free == nil || host != l.host {
		l.letGo()
		free, err := l.hold.Hold(ctx, r.URL)
		if err != nil {
			return visit{}, err
		}
		l.host, l.free = host, free
		// Who held it until now may have asked the same.
		if v, ok := l.recall(ctx, kind, r.URL); ok {
			return v, nil
		}
	}
	resp, err := l.fetch.Do(ctx, r)
	var fe *fetch.Error
	if err != nil && !errors.As(err, &fe) {
		return visit{}, err
	}
	if resp != nil {
		defer resp.Release()
	}
	v, err := read(resp)
	if err == nil && ctx.Err() == nil {
		l.remember(ctx, kind, r.URL, v)
	}
	return v, err
}

func (l *look) letGo() {
	if l.free != nil {
		l.free()
	}
	l.free = nil
}

// root is the front page of an address's host.
func root(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/"
}
