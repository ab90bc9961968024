// Package push notifies people's devices of new items by Web Push (RFC 8030): of feeds that notify, and of chosen
// folders and saved searches.
//
// A feed with a subscriber who has devices is marked, as for webhooks (package webhook), so that other feeds cost
// nothing. The message that it has new items leads to Arrived, which plans a notification unless one is planned. Some
// minutes later its message makes one text of what is unread by then, after the user's rules, and sends it to each
// device, encrypted for it. What a device does not take is tried again by a message of its own.
//
// A turn is claimed before its items are read, in one write: what arrives later plans the next one. A message that
// comes again after a crash repeats its turn; devices show the same notification once, by its tag.
package push

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
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
	// MaxDevices limits the devices of a user, maxPlaces the folders and the searches.
	MaxDevices, maxPlaces = 10, 100
	maxEndpoint           = 1000
	// foldFor is the time for which items are collected into one notification; gap is the shortest time between two.
	foldFor, gap = 2 * time.Minute, 40 * time.Minute
	// settled is the age of items that a turn reads: younger ones may still be being written.
	settled = time.Minute
	// lostAfter is the delay after which a planned notification counts as lost, and another is planned.
	lostAfter = time.Hour
	// A device that takes nothing for removedAfter is removed.
	removedAfter = 7 * 24 * time.Hour
	okayEvery    = 24 * time.Hour
	// waitsAtMost is how long one wait of a message may be: a queue hides it for up to 12 hours.
	waitsAtMost = 11 * time.Hour
)

// delays before each retry of a device that cannot take a message now.
var delays = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute}

// Deps are the dependencies of the service.
type Deps struct {
	Store   *store.Store
	Streams *stream.Service
	Hooks   *webhook.Service
	Fetch   fetch.Fetcher
	// Permits reports early which addresses the client would refuse.
	Permits func(address string) error
	// Key derives a key for a purpose from the installation's secret.
	Key   func(ctx context.Context, purpose string) ([]byte, error)
	Queue job.Sender
	// Contact is the address at which the operators of push services learn who sends.
	Contact string
	Clock   clock.Clock
	Log     *slog.Logger
}

// Service manages devices and notifies them.
type Service struct{ Deps }

// New returns the service.
func New(d Deps) *Service { return &Service{d} }

// Settings are what a user's devices are notified of, besides the feeds that notify.
type Settings struct {
	PublicKey string // by which browsers register
	Row       *store.NoticesRow
	Devices   []*store.DeviceRow
}

// Settings returns a user's settings and devices.
func (s *Service) Settings(ctx context.Context, u reader.UserID) (out Settings, err error) {
	own, err := s.identity(ctx)
	if err != nil {
		return out, err
	}
	out.PublicKey = own.public
	if out.Row, err = s.Store.Notices.Get(ctx, u); err == nil {
		out.Devices, err = s.Store.Notices.Devices(ctx, u)
	}
	return out, err
}

// Change has the settings that a user changes; nil keeps one.
type Change struct {
	Folders  *[]reader.FolderID
	Searches *[]reader.SearchID
	Quiet    *Quiet
}

// Quiet are quiet hours: minutes of the day in a zone. There are none where both are equal.
type Quiet struct {
	From, To int
	Zone     string
}

// Change changes a user's settings.
func (s *Service) Change(ctx context.Context, u reader.UserID, c Change) error {
	const day = 24 * 60
	if q := c.Quiet; q != nil {
		if min(q.From, q.To) < 0 || max(q.From, q.To) >= day {
			return fault.Coded(fault.Invalid, "bad_quiet_hours").At("quietHours")
		}
		if _, err := time.LoadLocation(q.Zone); err != nil || q.Zone == "Local" {
			return fault.Coded(fault.Invalid, "bad_quiet_hours").At("timeZone")
		}
	}
	if c.Folders != nil && len(*c.Folders) > maxPlaces || c.Searches != nil && len(*c.Searches) > maxPlaces {
		return fault.Coded(fault.Invalid, "too_many_places", maxPlaces)
	}
	_, err := s.Store.Notices.Change(ctx, u, func(row *store.NoticesRow) bool {
		setList(&row.Folders, c.Folders)
		setList(&row.Searches, c.Searches)
		if q := c.Quiet; q != nil {
			row.QuietFrom, row.QuietTo, row.Zone = q.From, q.To, q.Zone
		}
		return true
	})
	return err
}

func setList[T ~int32](field *[]int32, to *[]T) {
	if to == nil {
		return
	}
	*field = nil
	for _, id := range *to {
		*field = append(*field, int32(id))
	}
	slices.Sort(*field)
	*field = slices.Compact(*field)
}

// Device is the subscription that a browser registers.
type Device struct {
	Endpoint     string
	Public, Auth []byte
	Language     string
	Agent        string
	Session      string // with which it ends
}

// Register adds a device, or renews it. The device is written before the user's row, whose change marks the feeds.
func (s *Service) Register(ctx context.Context, u reader.UserID, d Device) (*store.DeviceRow, error) {
	address, err := url.Parse(d.Endpoint)
	if err != nil || len(d.Endpoint) > maxEndpoint || !isSafe(address) || s.Permits(d.Endpoint) != nil {
		return nil, fault.Coded(fault.Invalid, "bad_device").At("endpoint")
	}
	if _, err := ecdh.P256().NewPublicKey(d.Public); err != nil || len(d.Auth) != keySize {
		return nil, fault.Coded(fault.Invalid, "bad_device").At("keys")
	}
	if d.Language != texts.Japanese {
		d.Language = texts.English
	}
	row := &store.DeviceRow{Endpoint: d.Endpoint, Public: d.Public, Auth: d.Auth, Language: d.Language,
		Session: d.Session,
		Name:    auth.Device(d.Agent), Created: s.now()}
	id := deviceID(d.Endpoint)
	list, err := s.Store.Notices.Devices(ctx, u)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(x *store.DeviceRow) bool { return x.ID() == id })
	switch {
	case i < 0 && len(list) >= MaxDevices:
		return nil, fault.Coded(fault.Conflict, "device_limit", MaxDevices)
	case i >= 0 && isSame(row, list[i]): // the page renews it whenever it is opened
		return list[i], s.turn(ctx, u, true)
	case i >= 0:
		row.Created, row.Okay = list[i].Created, list[i].Okay
	}
	if err := s.Store.Notices.PutDevice(ctx, u, id, row); err != nil {
		return nil, err
	}
	return row, s.turn(ctx, u, true)
}

func isSame(a, b *store.DeviceRow) bool {
	return a.Session == b.Session && a.Language == b.Language && a.Name == b.Name &&
		bytes.Equal(a.Public, b.Public) && bytes.Equal(a.Auth, b.Auth)
}

// isSafe reports whether what is sent to an address is encrypted on its way, but for a push service on this machine,
// which only owners can allow.
func isSafe(address *url.URL) bool {
	return address.Scheme == "https" || address.Scheme == "http" && address.Hostname() == "127.0.0.1"
}

func deviceID(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return hex.EncodeToString(sum[:8])
}

// Remove removes a device.
func (s *Service) Remove(ctx context.Context, u reader.UserID, id string) error {
	if _, err := s.Store.Notices.Device(ctx, u, id); err != nil {
		return err
	}
	return s.forget(ctx, u, id)
}

// forget removes a device that may be gone already. After the last one nothing is collected any more.
func (s *Service) forget(ctx context.Context, u reader.UserID, id string) error {
	if err := s.Store.Notices.RemoveDevice(ctx, u, id); err != nil {
		return err
	}
	left, err := s.Store.Notices.Devices(ctx, u)
	if err != nil || len(left) > 0 {
		return err
	}
	return s.turn(ctx, u, false)
}

// turn switches a user's notifications on or off, and marks the user's feeds. What arrived before is not told.
func (s *Service) turn(ctx context.Context, u reader.UserID, on bool) error {
	changed := false
	_, err := s.Store.Notices.Change(ctx, u, func(row *store.NoticesRow) bool {
		if changed = row.On != on; changed {
			row.On, row.Due, row.Turn, row.From, row.Noted = on, 0, 0, 0, s.now()
		}
		return changed
	})
	if err != nil || !changed {
		return err
	}
	return s.Hooks.UpdateFeeds(ctx, u)
}

// Test sends a notification to one device and reports whether its push service took it.
func (s *Service) Test(ctx context.Context, u reader.UserID, id string) error {
	d, err := s.Store.Notices.Device(ctx, u, id)
	if err != nil {
		return err
	}
	out, _, err := s.post(ctx, d, &notification{Title: "Ruri Reader", Body: texts.TestMessage.In(d.Language),
		Path: "/settings/notifications", Tag: "test", Language: d.Language})
	switch {
	case err != nil:
		return err
	case out == gone:
		if err := s.forget(ctx, u, id); err != nil {
			return err
		}
		return fault.Coded(fault.NotFound, "device_not_found")
	case out != taken:
		return fault.Coded(fault.Unavailable, "push_refused")
	}
	return nil
}

func (s *Service) now() int64 { return s.Clock.Now().UnixMilli() }

// topic names a user's notifications at push services and on devices, where a newer one takes the place of one that
// was not seen.
func topic(u reader.UserID) string {
	sum := sha256.Sum256([]byte("notifications of " + string(u)))
	return base64url.EncodeToString(sum[:24])
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return b
}
