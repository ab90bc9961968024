package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

const (
	measuredDays = 20
	keptDays     = 200
)

// storage measures how much a data folder holds (P17): after a first crawl and three in each of which a tenth of the
// feeds have news, and how much it grows in days on which each feed has news once.
func (b *bench) storage(ctx context.Context, n int) error {
	f, err := startFarm(ctx, b.farm, n, farmHosts)
	if err != nil {
		return err
	}
	defer f.stop()
	urls, err := f.addresses()
	if err != nil {
		return err
	}
	data := filepath.Join(b.work, fmt.Sprintf("storage-%d", n))
	defer func() { _ = os.RemoveAll(data) }()
	if _, err := b.load(ctx, data, urls); err != nil {
		return err
	}
	lines := []string{"P17, MB for 1,000 feeds\tall\ton the disk\ttable\traw bodies\tindex of searches"}
	var last folderSizes
	note := func(what string, s folderSizes) {
		line := what
		for _, bytes := range [...]int64{s.all, s.onDisk, s.table, s.raws, s.index} {
			line += fmt.Sprintf("\t%.1f", mb(bytes)*1000/float64(n))
		}
		lines, last = append(lines, line), s
	}
	crawl := func(changed int) error {
		_, err := b.crawl(ctx, f, data, fmt.Sprintf("changed%d", changed), n, changed)
		return err
	}
	if err := crawl(0); err != nil {
		return err
	}
	note("after the first crawl", sizesOf(data))
	for range 3 {
		if err := crawl(10); err != nil {
			return err
		}
	}
	note("after three changes of a tenth (must 52, aim 45)", sizesOf(data))
	begin := last
	for range measuredDays {
		if err := crawl(100); err != nil {
			return err
		}
	}
	note(fmt.Sprintf("after %d days with one change a day", measuredDays), sizesOf(data))
	const times = keptDays / measuredDays
	end := last
	note(fmt.Sprintf("after %d days, computed (must 2,000, aim 800)", keptDays), folderSizes{
		all: begin.all + times*(end.all-begin.all), onDisk: begin.onDisk + times*(end.onDisk-begin.onDisk),
		table: begin.table + times*(end.table-begin.table), raws: begin.raws + times*(end.raws-begin.raws),
		index: begin.index + times*(end.index-begin.index),
	})
	b.rows(fmt.Sprintf("Storage of %d feeds", n), lines...)
	return nil
}
