package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	atOnce     = 16 // visitors of the second pass
	moreStarts = 4  // starts beside those of the rounds
	markedMost = 800
	openedMost = 50 // entries that are opened again and again: as many as a list shows
	freshMost  = 96 // feeds of which an entry is opened for the first time in a pass, whatever the number of visitors
	othersMost = 5  // further entries of each of them
)

// reading is what was measured of one number of feeds.
type reading struct {
	feeds      int
	starts     []time.Duration // from exec to the complete list of feeds
	names      []operation
	one, many  [][]figures // by round, then by operation
	pssOne     []int64
	pssMany    []int64
	pssSearch  []int64         // after the searches
	cold       []time.Duration // the first search after a start
	firstStart time.Duration
}

// serve measures reading over HTTP, for each number of feeds.
func (b *bench) serve(ctx context.Context, sizes []int) error {
	var all []reading
	failed := 0
	for _, n := range sizes {
		r, err := b.reading(ctx, n)
		if err != nil {
			return err
		}
		failed += b.printReading(&r)
		all = append(all, r)
	}
	b.printGrowth(all)
	b.printCells(all)
	if failed > 0 {
		return fmt.Errorf("%d operations failed", failed)
	}
	return nil
}

// reading imports and crawls N feeds, and measures so many rounds over what was crawled. The farm keeps serving: what
// falls due meanwhile is answered.
func (b *bench) reading(ctx context.Context, n int) (r reading, err error) {
	r.feeds = n
	f, err := startFarm(ctx, b.farm, n, farmHosts)
	if err != nil {
		return r, err
	}
	defer f.stop()
	urls, err := f.addresses()
	if err != nil {
		return r, err
	}
	data := filepath.Join(b.work, fmt.Sprintf("read-%d", n))
	defer func() { _ = os.RemoveAll(data) }()
	if _, err := b.load(ctx, data, urls); err != nil {
		return r, err
	}
	if _, err := b.crawl(ctx, f, data, "first", n, 0); err != nil {
		return r, err
	}
	token, _, err := b.command(ctx, data, "token", "create", "--name", "bench")
	if err != nil {
		return r, err
	}
	password, _, err := b.command(ctx, data, "token", "create", "--name", "app", "--scope", "sync")
	if err != nil {
		return r, err
	}
	run := serving{bench: b, data: data, token: strings.TrimSpace(string(token)),
		password: strings.TrimSpace(string(password))}
	for i := range b.rounds {
		if err := run.round(ctx, &r, i); err != nil {
			return r, err
		}
	}
	for range moreStarts {
		s, err := run.start(&r)
		if err != nil {
			return r, err
		}
		s.rest()
		if took, err := s.searchCold(run.token); err == nil { // what is wrong with it, the measured searches say
			r.cold = append(r.cold, took)
		}
		s.stop()
	}
	return r, nil
}

// serving is a data folder that is served again and again.
type serving struct {
	*bench
	data, token, password string
}

// round starts the reader, measures one visitor and then 16 at once, and ends it.
func (s *serving) round(ctx context.Context, r *reading, i int) error {
	v, err := s.start(r)
	if err != nil {
		return err
	}
	defer v.stop()
	v.rest()
	lib, err := s.library(v, i)
	if err != nil {
		return err
	}
	one, err := v.pass(ctx, s, slices.Concat(lib.operations(1), lib.apps(1)), 1)
	if err != nil {
		return err
	}
	r.pssOne = append(r.pssOne, pss(v.cmd.Process.Pid))
	lib.fresh = lib.later
	many, err := v.pass(ctx, s, slices.Concat(lib.operations(atOnce), lib.apps(atOnce)), atOnce)
	if err != nil {
		return err
	}
	r.pssMany = append(r.pssMany, pss(v.cmd.Process.Pid))
	// After the others, so that what searches keep in memory is not among theirs.
	found, err := v.pass(ctx, s, searches(), 1)
	if err != nil {
		return err
	}
	foundAtOnce, err := v.pass(ctx, s, searches(), atOnce)
	if err != nil {
		return err
	}
	r.pssSearch = append(r.pssSearch, pss(v.cmd.Process.Pid))
	// Last, since all else finds unread entries.
	marks := []operation{lib.markAll()}
	all, err := v.pass(ctx, s, marks, 1)
	if err != nil {
		return err
	}
	r.names = slices.Concat(lib.operations(1), lib.apps(1), searches(), []operation{marks[0], *marks[0].then})
	r.one, r.many = append(r.one, slices.Concat(one, found, all)), append(r.many, slices.Concat(many, foundAtOnce))
	return nil
}
