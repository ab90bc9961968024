package store

import (
	"context"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// NoticesRow says what a user's devices are notified of, besides the feeds whose subscription has Notify, and how far
// they were. Until there is a device or a choice there is no row.
type NoticesRow struct {
	rowKey

	On       bool    `dynamo:"on,omitempty"`       // there is a device
	Folders  []int32 `dynamo:"folders,omitempty"`  // reader.FolderID
	Searches []int32 `dynamo:"searches,omitempty"` // reader.SearchID
	// Quiet hours, in minutes of the day in Zone, of the IANA database; none where both are equal.
	QuietFrom int    `dynamo:"quietFrom,omitempty"`
	QuietTo   int    `dynamo:"quietTo,omitempty"`
	Zone      string `dynamo:"zone,omitempty"`
	// Due is when the next notification is due, 0 while there is nothing new; Turn is when the last one was. That one
	// had the items that arrived after From and up to Noted. All are Unix milliseconds.
	Due   int64 `dynamo:"due,omitempty"`
	Turn  int64 `dynamo:"turn,omitempty"`
	From  int64 `dynamo:"from,omitempty"`
	Noted int64 `dynamo:"noted,omitempty"`
	Rev   int64 `dynamo:"rev,omitempty"`
}

// DeviceRow is a browser that a user's notifications are pushed to (RFC 8030).
type DeviceRow struct {
	rowKey

	Endpoint string `dynamo:"endpoint"` // the address at the browser's push service
	Public   []byte `dynamo:"public"`   // its key for messages
	Auth     []byte `dynamo:"auth"`
	Name     string `dynamo:"name,omitempty"` // what its User-Agent says
	Language string `dynamo:"lang,omitempty"`
	// Session is the session that registered it, with which it ends.
	Session string `dynamo:"session,omitempty"`
	Created int64  `dynamo:"created"` // Unix milliseconds, as all below
	// Okay is the last delivery, written at most daily. Failing is since when none was accepted, 0 when the last one
	// was.
	Okay    int64 `dynamo:"okay,omitempty"`
	Failing int64 `dynamo:"failing,omitempty"`
}

// ID returns the device's id, from the row's key.
func (r *DeviceRow) ID() string { return strings.TrimPrefix(r.SK, devicesPrefix) }

// Notices reads and writes what users are notified of, and their devices.
type Notices struct{ t *table.Table }

// Get reads a user's row, consistently; the zero row when there is none.
func (s *Notices) Get(ctx context.Context, u reader.UserID) (*NoticesRow, error) {
	row, err := getOrZero[NoticesRow](ctx, s.t, noticesKey(u), table.Consistent())
	return &row, err
}

// Change changes a user's row in one write and returns it. change may run more than once; when it returns false,
// nothing is written.
func (s *Notices) Change(ctx context.Context, u reader.UserID, change func(*NoticesRow) bool) (row *NoticesRow,
	err error) {
	err = Retry("settings_contended", func() error {
		if row, err = s.Get(ctx, u); err != nil {
			return err
		}
		read := row.Rev
		if !change(row) {
			return nil
		}
		row.Rev = read + 1
		return put(ctx, s.t, noticesKey(u), row, table.IfEqual("rev", read))
	})
	return row, err
}

// Devices returns a user's devices, in order of id.
func (s *Notices) Devices(ctx context.Context, u reader.UserID) ([]*DeviceRow, error) {
	return list[DeviceRow](ctx, s.t, table.Query{PK: userPK(u), Prefix: devicesPrefix, Consistent: true})
}

// Device reads one device: NotFound "device_not_found".
func (s *Notices) Device(ctx context.Context, u reader.UserID, id string) (*DeviceRow, error) {
	return get[DeviceRow](ctx, s.t, deviceKey(u, id), "device_not_found", table.Consistent())
}

// PutDevice writes a device.
func (s *Notices) PutDevice(ctx context.Context, u reader.UserID, id string, row *DeviceRow) error {
	return put(ctx, s.t, deviceKey(u, id), row)
}

// Tried records the outcome of a delivery, unless the device has been removed meanwhile.
func (s *Notices) Tried(ctx context.Context, u reader.UserID, id string, okay, failing int64) error {
	upd := table.Update{Set: map[string]any{}, If: []table.Cond{table.IfPresent()}}
	patch{"okay": okay, "failing": failing}.into(&upd)
	return ignoreConflict(s.t.Update(ctx, deviceKey(u, id), upd))
}

// RemoveDevice deletes a device; an absent one is no error.
func (s *Notices) RemoveDevice(ctx context.Context, u reader.UserID, id string) error {
	return s.t.Delete(ctx, deviceKey(u, id))
}

// Wanted says for what a user's feeds are marked.
type Wanted struct {
	New     bool  // an enabled webhook wants new items,
	Since   int64 // of which the earliest wants them since then, in Unix milliseconds
	Notices bool  // there is a device
}

// Wanted reads for what a user's feeds are to be marked, in one query.
func (s *Webhooks) Wanted(ctx context.Context, u reader.UserID) (w Wanted, err error) {
	type either struct {
		WebhookRow
		HasDevice bool `dynamo:"on"`
	}
	q := table.Query{PK: userPK(u), Prefix: webhooksAndNotices, Consistent: true}
	return w, each(ctx, s.t, q, func(r *either) error {
		switch {
		case r.SK == noticesSK:
			w.Notices = r.HasDevice
		case r.New && r.On() && (!w.New || r.Since < w.Since):
			w.New, w.Since = true, r.Since
		}
		return nil
	})
}

// SetNoted records whether a subscriber's devices may be notified of a feed's items; one that has unsubscribed is
// ignored.
func (s *Subscriptions) SetNoted(ctx context.Context, f reader.FeedID, u reader.UserID, noted bool) error {
	upd := table.Update{Set: map[string]any{}, If: []table.Cond{table.IfPresent()}}
	patch{"noted": noted}.into(&upd)
	return ignoreConflict(s.t.Update(ctx, subscriberKey(f, u), upd))
}
