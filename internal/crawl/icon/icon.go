// Package icon finds the icons of feeds: the one that the feed names, those that its site's page and manifest name,
// and those at the usual addresses; the first of at least 32 pixels, else the largest. It works through the queue, so
// that polls never wait for it. An icon is stored under the hash of its bytes. It is searched again after a month, or
// after a week when there was none. A host's responses are reused for its other feeds, also those of other messages,
// for half a day: twenty feeds of one host are added in twenty messages, and to several processes, and the host is
// asked once.
//
// Decoding is a function that it is given (package favicon), because the API only serves icons.
package icon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"iter"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/robots"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// budget is the working time of one message; the rest waits for a pause, in which polls can take the parts of
	// hosts.
	budget = 30 * time.Second
	pause  = time.Minute
	// feedTime bounds the requests for one feed.
	feedTime = 20 * time.Second
)

// Holder takes the lease of a host, so that no crawler polls it meanwhile.
type Holder interface {
	Hold(ctx context.Context, url string) (release func(), err error)
}

// Image is an icon as it is stored and served.
type Image struct {
	Body        []byte
	ContentType string
}

// Policy is the Content-Security-Policy of every answer with an icon. An icon may be a drawing (SVG), which would be a
// page of somebody else's, with scripts, if it were opened by its address.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// Shrink makes an icon of an image. Of several, the one with the largest side is shown; zero stands for a banner.
type Shrink func(body []byte) (i Image, side int, err error)

// Service finds, stores and serves icons.
type Service struct {
	store  *store.Store
	blobs  *blob.Bucket
	fetch  fetch.Fetcher
	hold   Holder
	queue  job.Sender
	clock  clock.Clock
	log    *slog.Logger
	shrink Shrink
	busy   sync.Mutex // while a message is worked on
}

// New returns the service. Without shrink it only serves icons.
func New(s *store.Store, b *blob.Bucket, f fetch.Fetcher, h Holder, q job.Sender, c clock.Clock, log *slog.Logger,
	shrink Shrink) *Service {
	return &Service{store: s, blobs: b, fetch: f, hold: h, queue: q, clock: c, log: log, shrink: shrink}
}

// Get returns an icon by its name (store.IconName).
func (s *Service) Get(ctx context.Context, name string) (Image, error) {
	gone := fault.Coded(fault.NotFound, "icon_not_found")
	hash, ok := store.ParseIconName(name)
	if !ok {
		return Image{}, gone
	}
	body, m, err := s.blobs.Get(ctx, store.IconBlobKey(hash))
	if fault.Is(err, fault.NotFound) {
		return Image{}, gone
	}
	return Image{body, m.ContentType}, err
}

// Run handles one message; it may be repeated, and may stop at any step. Another message continues with the rest when
// the time is used up, or when a feed's host is busy.
func (s *Service) Run(ctx context.Context, j job.Job) error {
	if s.shrink == nil {
		return fault.New(fault.Unavailable, "no_image_decoder", "icon: run", nil)
	}
	// One at a time in a process: a list that is imported sends many, and they must leave room for the first crawls.
	if !s.busy.TryLock() {
		return job.Send(ctx, s.queue, pause, j)
	}
	defer s.busy.Unlock()
	started := s.clock.Now()
	search := &search{Service: s, known: map[string]visit{}, rules: map[string]robots.Rules{}}
	for i, id := range j.Feeds {
		err := search.one(ctx, id)
		busy := fault.CodeOf(err) == "part_busy"
		if err != nil && !busy {
			return err
		}
		rest := j.Feeds[i+1:]
		if busy {
			rest = j.Feeds[i:]
		}
		if len(rest) > 0 && (busy || s.clock.Now().Sub(started) >= budget) {
			return job.Send(ctx, s.queue, pause, job.Job{Kind: job.Icon, Feeds: rest})
		}
	}
	return nil
}

// one searches the icon of a feed. Failures of the site mean that there is none; a previous icon is kept.
func (s *search) one(ctx context.Context, id reader.FeedID) error {
	f, err := s.store.Feeds.Get(ctx, id, true)
	if err != nil || !f.WantsIcon(s.clock.Now()) {
		return fault.Ignore(err, fault.NotFound)
	}
	fetching, cancel := context.WithTimeout(ctx, feedTime)
	hash, err := s.find(fetching, f)
	s.release()
	cancel()
	if err != nil {
		return err
	}
	next := *f
	next.IconAt = s.clock.Now().Unix()
	if hash != nil {
		next.IconHash = hash
	}
	_, err = s.store.Feeds.Change(ctx, f, &next, store.SameIconAt)
	s.log.Debug("icon looked for", "feed_id", uint32(id), "found", hash != nil)
	return fault.Ignore(err, fault.Conflict) // the same message came twice
}

// search looks for the icons of one message: one request at a time, each host held while it is asked.
type search struct {
	*Service
	known map[string]visit        // by key
	rules map[string]robots.Rules // by site
	host  string
	free  func() // releases the host; nil when none is held
}

// A response is reused for rememberFor. It is less than a day: an icon that no row names is removed a day after it was
// written, while a feed may be given it until then.
const rememberFor = 12 * time.Hour

// visit is the result of a response; the zero value is that of an unusable one.
type visit struct {
	Icons    []string `json:"i,omitempty"` // that a page or manifest names
	Manifest string   `json:"m,omitempty"` // that a page names
	End      string   `json:"e,omitempty"` // where the page was
	Hash     []byte   `json:"h,omitempty"` // of an image that can be shown; its blob exists
	Side     int      `json:"s,omitempty"` // of that image, unless it is a banner
}

// enough is the side from which on an icon is sharp where it is shown, in 16 to 20 pixels.
const enough = 32

// find returns the hash of the first square image that is large enough, else of the largest one, else of a banner; nil
// when there is none.
func (s *search) find(ctx context.Context, f *store.FeedRow) ([]byte, error) {
	var best visit
	for address, err := range s.addresses(ctx, f) {
		if err != nil {
			return nil, err
		}
		i, err := s.image(ctx, address)
		if err != nil {
			return nil, err
		}
		if best.Hash == nil || i.Side > best.Side {
			best = i
		}
		if best.Side >= enough {
			break
		}
	}
	return best.Hash, nil
}

// addresses are those where an icon may be, the likeliest first. Pages are asked when their turn comes.
func (s *search) addresses(ctx context.Context, f *store.FeedRow) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if f.Icon != "" && !yield(f.Icon, nil) {
			return
		}
		page := cmp.Or(f.Site, root(f.URL))
		v, err := s.get(ctx, "page",
			fetch.Request{URL: page, Accept: "text/html, application/xhtml+xml, */*;q=0.1"}, pageIcons)
		site := root(cmp.Or(v.End, page))
		for _, address := range append(v.Icons, site+"favicon.ico") {
			if !yield(address, err) {
				return
			}
		}
		if v.Manifest != "" {
			v, err = s.get(ctx, "manifest", fetch.Request{URL: v.Manifest,
				Accept: "application/manifest+json, application/json;q=0.9, */*;q=0.1"}, manifestIcons)
			for _, address := range v.Icons {
				if !yield(address, err) {
					return
				}
			}
		}
		yield(site+"apple-touch-icon.png", err)
	}
}

func pageIcons(_ context.Context, resp *fetch.Response) (visit, error) {
	icons, manifest := discover.Icons(resp.FinalURL, resp.Body, resp.ContentType)
	return visit{Icons: icons, Manifest: manifest, End: resp.FinalURL}, nil
}

func manifestIcons(_ context.Context, resp *fetch.Response) (visit, error) {
	return visit{Icons: discover.ManifestIcons(resp.FinalURL, resp.Body)}, nil
}

const maxImage = 2 << 20

func (s *search) image(ctx context.Context, address string) (visit, error) {
	if body, ok := dataIn(address); ok {
		return s.storeImage(ctx, body)
	}
	r := fetch.Request{URL: address, Accept: "image/png, image/webp, image/*;q=0.8, */*;q=0.1", MaxBytes: maxImage}
	return s.get(ctx, "image", r, func(ctx context.Context, resp *fetch.Response) (visit, error) {
		return s.storeImage(ctx, resp.Body)
	})
}

// dataIn returns the data of a data: URL (RFC 2397).
func dataIn(address string) (body []byte, ok bool) {
	rest, ok := strings.CutPrefix(address, "data:")
	kind, data, comma := strings.Cut(rest, ",")
	if !ok || !comma {
		return nil, false
	}
	data, err := url.PathUnescape(data)
	body = []byte(data)
	if err == nil && strings.HasSuffix(kind, ";base64") {
		body, err = base64.StdEncoding.DecodeString(data)
	}
	return body, err == nil
}

// storeImage writes the blob before anything names it, and again where it exists: as an old orphan it would be removed
// before it is named (package cleanup).
func (s *search) storeImage(ctx context.Context, body []byte) (visit, error) {
	i, side, err := s.shrink(body)
	if err != nil {
		return visit{}, nil //nolint:nilerr // not an image that can be shown
	}
	sum := sha256.Sum256(i.Body)
	return visit{Hash: sum[:], Side: side},
		s.blobs.Put(ctx, store.IconBlobKey(sum[:]), i.Body, blob.Meta{ContentType: i.ContentType})
}

// reading extracts what is needed from a usable response.
type reading func(context.Context, *fetch.Response) (visit, error)

// get fetches what robots.txt allows, because no person asked for it. The zero visit means that there is nothing.
func (s *search) get(ctx context.Context, kind string, r fetch.Request, read reading) (visit, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return visit{}, nil //nolint:nilerr // an address that a publisher made up
	}
	if v, ok := s.recall(ctx, kind, r.URL); ok {
		return v, nil
	}
	rules, err := s.robots(ctx, r.URL)
	if err != nil || !rules.AllowsURL(r.URL) {
		return visit{}, err
	}
	return s.once(ctx, kind, r, read)
}

// robots returns what the robots.txt of an address's site says.
func (s *search) robots(ctx context.Context, address string) (robots.Rules, error) {
	site := root(address)
	if rules, ok := s.rules[site]; ok {
		return rules, nil
	}
	rules, err := robots.Sites{Cache: s.store.Cache}.Rules(ctx, address,
		func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
			if _, err := s.take(ctx, r.URL); err != nil {
				return nil, err
			}
			return s.fetch.Do(ctx, r)
		})
	switch {
	case err == nil:
		s.rules[site] = rules
	case ctx.Err() != nil:
		rules, err = robots.Of(0, nil), nil // this feed's time is over, which is no failure of ours
	}
	return rules, err
}

// take holds the host of an address, and no other. waited is false where it was held already.
func (s *search) take(ctx context.Context, address string) (waited bool, err error) {
	host := fetch.HostOf(address)
	if s.free != nil && host == s.host {
		return false, nil
	}
	s.release()
	free, err := s.hold.Hold(ctx, address)
	if err == nil {
		s.host, s.free = host, free
	}
	return true, err
}

// once makes one request, unless its response is known. Failures of the other side give the zero visit.
func (s *search) once(ctx context.Context, kind string, r fetch.Request, read reading) (v visit, err error) {
	if ctx.Err() != nil {
		return visit{}, nil // this feed's time is over, which is no failure of ours
	}
	if v, ok := s.recall(ctx, kind, r.URL); ok {
		return v, nil
	}
	waited, err := s.take(ctx, r.URL)
	if err != nil {
		return visit{}, err
	}
	if waited { // who held the host until now may have asked the same
		if v, ok := s.recall(ctx, kind, r.URL); ok {
			return v, nil
		}
	}
	resp, err := s.fetch.Do(ctx, r)
	var fe *fetch.Error
	if err != nil && !errors.As(err, &fe) {
		return visit{}, err
	}
	if resp != nil {
		defer resp.Release()
		if resp.Status == 200 {
			if v, err = read(ctx, resp); err != nil {
				return visit{}, err
			}
		}
	}
	if ctx.Err() == nil {
		key := visitKey(kind, r.URL)
		s.known[key] = v
		s.store.Cache.PutJSON(ctx, key, v, rememberFor)
	}
	return v, nil
}

// recall returns what was learned from an address a short time ago.
func (s *search) recall(ctx context.Context, kind, address string) (v visit, ok bool) {
	key := visitKey(kind, address)
	if v, ok = s.known[key]; !ok && s.store.Cache.GetJSON(ctx, key, &v) {
		s.known[key], ok = v, true
	}
	return v, ok
}

func visitKey(kind, address string) string { return store.HashToken("icon#" + kind + "#" + address) }

func (s *search) release() {
	if s.free != nil {
		s.free()
	}
	s.free = nil
}

// root is the front page of an address's host.
func root(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/"
}
