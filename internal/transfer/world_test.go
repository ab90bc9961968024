package transfer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

var start = time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)

func noon() *clock.Manual { return clock.NewManual(start) }

// disk is what stays of a place when its program dies.
type disk struct {
	name  string
	table table.Driver
	blobs blob.Driver
}

func newDisk(name string) *disk { return &disk{name, memtable.New(), memblob.New()} }

func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// place opens a disk; step is called before and after every call to it and may end the program there.
func (d *disk) place(c clock.Clock, step func(after bool) error) Installation {
	t, b := d.table, d.blobs
	if step != nil {
		t = faultytable.New(t, faultytable.Options{
			Before: func(faultytable.Op) error {
				return step(false)
			}, After: func(faultytable.Op) error { return step(true) },
		})
		b = stepping{b, step}
	}
	return Installation{Name: d.name,
		Table: table.New(t, table.Options{Clock: c, Kind: store.Kind, Sleep: noWait, Attempts: 2}), Blobs: blob.New(b)}
}

// stepping calls step around each call to a blob store.
type stepping struct {
	blob.Driver
	step func(after bool) error
}

func around[T any](s stepping, f func() (T, error)) (T, error) {
	if err := s.step(false); err != nil {
		return *new(T), err
	}
	v, err := f()
	return v, errors.Join(err, s.step(true))
}

func (s stepping) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	return around(s, func() (bool, error) { return s.Driver.Put(ctx, key, body, m, ifAbsent) })
}

func (s stepping) Get(ctx context.Context, key string, limit int64) (body []byte, m blob.Meta, err error) {
	body, err = around(s, func() ([]byte, error) {
		body, m, err = s.Driver.Get(ctx, key, limit)
		return body, err
	})
	return body, m, err
}

func (s stepping) Delete(ctx context.Context, key string) error {
	_, err := around(s, func() (int, error) { return 0, s.Driver.Delete(ctx, key) })
	return err
}

func (s stepping) List(ctx context.Context, prefix, after string, limit int) (page []blob.Object,
	more bool, err error) {
	page, err = around(s, func() ([]blob.Object, error) {
		page, more, err = s.Driver.List(ctx, prefix, after, limit)
		for i := range page { // memblob lists no sizes
			_, m, _ := s.Driver.Get(ctx, page[i].Key, 1<<30)
			page[i].Size = m.Size
		}
		return page, err
	})
	return page, more, err
}

// calm is a step that lets everything happen.
func calm(bool) error { return nil }

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// populate fills an installation with every kind of row, and no round numbers.
func populate(t testing.TB, d *disk, feeds int) {
	t.Helper()
	ctx, clk := context.Background(), noon()
	p := d.place(clk, nil)
	st := store.New(p.Table, clk)
	ok(t, st.Accounts.Create(ctx, "u1", store.Account{Email: "owner@localhost", Owner: true}))
	ok(t, st.Accounts.ClaimOwner(ctx, "u1"))
	ok(t, st.Accounts.Create(ctx, "u2", store.Account{Email: "日本@example.org", Password: "$argon2id$v=19$x"}))
	_, err := st.Accounts.Secret(ctx, []byte{0, 1, 2, 255})
	ok(t, err)
	ok(t, st.Accounts.Remember(ctx, "samples"))
	ok(t, st.Accounts.PutToken(ctx, "secret", "u1",
		store.TokenRow{Name: "an app", Scope: "sync", Email: "owner@localhost", Fever: "a key"}))
	ok(t, st.Accounts.PutLink(ctx, "link", "u1", time.Hour))
	ok(t, st.Cache.PutFor(ctx, "page", []byte("x"), time.Hour))
	ok(t, st.Leases.MarkAll(ctx, 0, clk.Now()))
	_, err = st.Leases.Take(ctx, 0, 1, clk.Now(), clk.Now().Add(time.Minute))
	ok(t, err)
	run := store.RunRow{State: store.RunDone, TTL: clk.Now().Add(time.Hour).Unix()}
	run.PK, run.SK = "RUN#2026-04-01", "0000001#000"
	ok(t, st.Runs.Put(ctx, &run))
	for i := range feeds {
		populateFeed(t, st, p.Blobs, i)
	}
}

func populateFeed(t testing.TB, st *store.Store, blobs *blob.Bucket, i int) {
	t.Helper()
	ctx := context.Background()
	url := fmt.Sprintf("http://publisher-%d.example/feed?a=1&b=é", i)
	row, err := st.Feeds.Ensure(ctx, url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{First: int32(1000 + i), Period: 4, Status: "active", Title: "Feed <&> \u2028" +
			strings.Repeat("長", i%7)}
	})
	ok(t, err)
	f := row.ID()
	body := []byte(strings.Repeat(fmt.Sprintf("body %d ", i), 10+i))
	sum := sha256.Sum256(body)
	raw := store.RawKey(start, url, sum[:], "gz")
	ok(t, blobs.Put(ctx, raw, body, blob.Meta{ContentType: "application/rss+xml", ContentEncoding: "gzip",
		User: map[string]string{"url": url}}))
	d, err := store.NewDelta(f, 1, 42, start.UnixMilli(), raw,
		[]store.Header{{Identity: 1, Title: "Item", Sort: 7}, {Identity: 2, Title: "Other"}})
	ok(t, err)
	d.TTL = start.Add(time.Duration(1+i) * 24 * time.Hour).Unix()
	ok(t, st.Items.Put(ctx, d))
	_, err = st.Feeds.Modify(ctx, f, func(f *store.FeedRow) {
		f.Seq = 2
		f.Stamp = 42
		f.Raw = raw
		f.Hash = sum[:]
		f.Known = sum[:22]
		f.Subs = 1
		f.Changes = []int64{1, 2}
	})
	ok(t, err)
	u := reader.UserID([]string{"u1", "u2"}[i%2])
	ok(t, st.Subscriptions.PutSubscriber(ctx, f, store.Subscriber{User: u, Interval: 60}))
	ok(t, st.Subscriptions.Add(ctx, u, f, store.SubscriptionRow{Folders: []reader.FolderID{1, 2}, Since: 1, Upto: 1,
		Runs: []byte{byte(i), 0}, Stars: []byte{1}}))
	if i%3 == 0 {
		key := fmt.Sprintf("stars/user/%d", i)
		ok(t, blobs.Put(ctx, key, []byte("<p>starred</p>"),
			blob.Meta{ContentType: "text/html; charset=utf-8", ContentEncoding: "deflate"}))
		ok(t, st.Snapshots.Put(ctx, u, store.Star, reader.ItemID(1000+i),
			store.SnapshotRow{Feed: uint32(f), Seq: 1, Head: d.Head, Blob: key}))
	}
}

// dump lists an installation by its own means: every row that moves and every blob.
func dump(t testing.TB, d *disk) map[string]string {
	t.Helper()
	out := map[string]string{}
	p := d.place(noon(), calm)
	rows, next, err := p.Table.Scan(context.Background(), table.Key{}, 0)
	ok(t, err)
	if next != (table.Key{}) {
		t.Fatal("the installation is larger than a page")
	}
	for _, r := range rows {
		switch store.Kind(r.Key) {
		case "link", "cache", "transfer":
			continue
		case "lease":
			r, err = r.Without("until")
			ok(t, err)
		}
		b, err := r.JSON()
		ok(t, err)
		out[r.Key.PK+" "+r.Key.SK] = string(b)
	}
	page, _, err := p.Blobs.List(context.Background(), "", "", 0)
	ok(t, err)
	for _, o := range page {
		body, m, err := p.Blobs.Get(context.Background(), o.Key)
		ok(t, err)
		out[o.Key] = fmt.Sprintf("%s|%s|%v|%s", m.ContentType, m.ContentEncoding, m.User, body)
	}
	return out
}

func same(t testing.TB, want, got map[string]string) {
	t.Helper()
	if maps.Equal(want, got) {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if got[k] != want[k] {
			t.Errorf("%s is %.200q, want %.200q", k, got[k], want[k])
		}
	}
	for k := range got {
		if _, yes := want[k]; !yes {
			t.Errorf("%s is too much", k)
		}
	}
	t.FailNow()
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return fault.CodeOf(err)
}

func state(t testing.TB, d *disk) string {
	t.Helper()
	m, err := store.TransfersOf(d.place(noon(), nil).Table).Get(context.Background())
	ok(t, err)
	return m.State
}
