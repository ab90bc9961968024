package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
)

// asked has the feeds and entries to request: the same in each round, except entries that are opened for the first
// time.
type asked struct {
	feeds  []string
	unread int // of the side bar's totals
	marked []entry
	fresh  [][]string // entries of feeds of which nobody has opened one
	later  [][]string // the same for the next pass
	opened []string   // entries that were opened
}

// entry is marked by one visitor alone.
type entry struct {
	id   string
	read bool
}

// library looks for what is asked for: entries of different feeds, other ones in each round to be opened first.
func (s *serving) library(v *server, round int) (*asked, error) {
	a, unread, err := decodeFeeds(v.list)
	if err != nil {
		return nil, err
	}
	l := &asked{unread: unread}
	for _, f := range a.Feeds {
		l.feeds = append(l.feeds, f.ID)
	}
	n := len(l.feeds)
	fresh := min(freshMost, n/(2*s.rounds+1)/atOnce*atOnce)
	if fresh == 0 {
		return nil, fmt.Errorf("%d rounds take at least %d feeds, since each opens others for the first time", s.rounds,
			(2*s.rounds+1)*atOnce)
	}
	one, err := newVisitor(v.addr, s.token, 0, 1)
	if err != nil {
		return nil, err
	}
	defer one.close()
	for i := range min(n, markedMost) {
		list, err := one.newestOf(l.feeds[i], 1)
		if err != nil {
			return nil, err
		}
		l.marked = append(l.marked, list[0])
		if i < min(openedMost, n-2*s.rounds*fresh) {
			l.opened = append(l.opened, list[0].id)
		}
	}
	// The last feeds are those to be opened first: each round has its own.
	for i := range 2 * fresh {
		list, err := one.newestOf(l.feeds[n-2*(round+1)*fresh+i], 1+othersMost)
		if err != nil {
			return nil, err
		}
		l.fresh = append(l.fresh, each(list, func(e entry) string { return e.id }))
	}
	l.fresh, l.later = l.fresh[:fresh], l.fresh[fresh:]
	return l, nil
}

// newestOf gives a feed's newest entries; of a feed with few it repeats them.
func (v *visitor) newestOf(feed string, n int) (list []entry, err error) {
	a, err := v.do(ask{method: "GET", path: fmt.Sprintf("/api/feeds/%s/items?limit=%d", feed, n)}, true)
	if err != nil {
		return nil, err
	}
	var page struct {
		Items []struct {
			ID     string
			IsRead bool
		}
	}
	if err := json.Unmarshal(a.body, &page); err != nil || len(page.Items) == 0 {
		return nil, fmt.Errorf("feed %s has no items: %d %.200s", feed, a.status, a.body)
	}
	for i := range n {
		it := page.Items[i%len(page.Items)]
		list = append(list, entry{it.ID, it.IsRead})
	}
	return list, nil
}

type feedsAnswer struct {
	Feeds []struct {
		ID          string
		UnreadCount int
	}
	Totals struct{ Feeds, Unread int }
}

// inflated is a body without its compression.
func inflated(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func decodeFeeds(body []byte) (a feedsAnswer, unread int, err error) {
	if body, err = inflated(body); err == nil {
		err = json.Unmarshal(body, &a)
	}
	for _, f := range a.Feeds {
		unread += f.UnreadCount
	}
	return a, unread, err
}

// checkFeeds wants all feeds, with counts that sum up to the totals.
func (l *asked) checkFeeds(body []byte) (int, error) {
	a, unread, err := decodeFeeds(body)
	if err == nil && (len(a.Feeds) != len(l.feeds) || a.Totals.Feeds != len(l.feeds) || unread != a.Totals.Unread) {
		err = fmt.Errorf("%d feeds with %d unread, totals %+v; want %d feeds", len(a.Feeds), unread,
			a.Totals, len(l.feeds))
	}
	l.unread = unread
	return len(a.Feeds), err
}

func (l *asked) checkCounts(body []byte) (int, error) {
	a, unread, err := decodeFeeds(body)
	if err == nil && (len(a.Feeds) != len(l.feeds) || unread != l.unread) {
		err = fmt.Errorf("%d counts with %d unread, want %d with %d", len(a.Feeds), unread, len(l.feeds), l.unread)
	}
	return len(a.Feeds), err
}

// checkPage counts the items of a page; a page that is not full is not an error but a figure.
func (l *asked) checkPage(body []byte) (int, error) {
	var a struct {
		Items []struct{ ID string }
	}
	err := json.Unmarshal(body, &a)
	if err == nil && len(a.Items) == 0 {
		err = fmt.Errorf("no items: %.200s", body)
	}
	return len(a.Items), err
}

// wantUnread compares the totals of an answer.
func (l *asked) wantUnread(body []byte, want int) error {
	_, rest, _ := bytes.Cut(body, []byte(`"totals":`))
	var t struct{ Unread *int }
	if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&t); err != nil || t.Unread == nil {
		return fmt.Errorf("no totals: %.200s", body)
	}
	if *t.Unread != want {
		return fmt.Errorf("%d unread, want %d", *t.Unread, want)
	}
	return nil
}
