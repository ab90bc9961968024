package find

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// A shared list is a feed for everybody who has its address: starred items, a label, a folder or a saved search.

// maxShared is how many items a shared list has.
const maxShared = 50

// SharedItem is an item as strangers see it: nothing in it is about the user.
type SharedItem struct {
	ID                                 string // a URN
	Title, Link, Author, Feed, Snippet string
	Published, Updated                 time.Time
}

// parseShared parses the name of a shared list: starred, label:3, folder:2 or search:1.
func parseShared(of string) (kind string, id int32, err error) {
	kind, number, _ := strings.Cut(of, ":")
	n, wrong := strconv.ParseInt(number, 10, 32)
	isNumbered := slices.Contains([]string{"label", "folder", "search"}, kind) && wrong == nil && n > 0
	if !isNumbered && of != "starred" {
		return "", 0, fault.Coded(fault.Invalid, "bad_share").At("of")
	}
	return kind, int32(n), nil
}

// SharedName returns the name of what is shared; fault.NotFound when it does not exist.
func (s *Service) SharedName(ctx context.Context, u reader.UserID, of string) (string, error) {
	x, err := s.shared(ctx, u, of)
	return x.name, err
}

// shared is the source of a list.
type shared struct {
	name   string
	query  stream.Query
	search *library.Search
}

func (s *Service) shared(ctx context.Context, u reader.UserID, of string) (x shared, err error) {
	kind, id, err := parseShared(of)
	if err != nil {
		return x, err
	}
	x.query = stream.Query{Filter: stream.All, Limit: maxShared}
	switch kind {
	case "starred":
		x.query.Filter = stream.Starred
		return x, nil
	case "search":
		one, err := s.streams.SavedSearch(ctx, u, reader.SearchID(id))
		x.name, x.search = one.Name, &one
		return x, err
	}
	tree, err := s.streams.Tree(ctx, u)
	if err != nil {
		return x, err
	}
	if kind == "label" {
		label, ok := tree.Label(reader.LabelID(id))
		if !ok {
			return x, fault.Coded(fault.NotFound, "label_not_found")
		}
		x.name, x.query.Label = label.Name, label.ID
		return x, nil
	}
	folder, ok := tree.Folder(reader.FolderID(id))
	if !ok {
		return x, fault.Coded(fault.NotFound, "folder_not_found")
	}
	x.name, x.query.Folder = folder.Name, folder.ID
	return x, nil
}

// Share makes a shared list. Items of feeds with a password are left out, and those of feeds that the user no longer
// subscribes to, of which that is not known.
func (s *Service) Share(ctx context.Context, u reader.UserID, of string) (out []SharedItem, err error) {
	x, err := s.shared(ctx, u, of)
	if err != nil {
		return nil, err
	}
	add := func(e *stream.Entry, f *store.FeedRow) {
		if f != nil && !reader.IsPrivateURL(f.URL) {
			out = append(out, sharedItem(e, f))
		}
	}
	if x.search != nil {
		p, err := s.Search(ctx, u, Query{Text: x.search.Query, Filter: x.search.Filter, Kana: x.search.Kana,
			Scope: stream.Scope{Feed: x.search.Feed, Folder: x.search.Folder}, Limit: maxShared})
		if err != nil {
			return nil, err
		}
		for i := range p.Items {
			add(&p.Items[i].Entry, p.Feed(p.Items[i].Entry.Feed).FeedRow())
		}
		return out, nil
	}
	p, err := s.streams.List(ctx, u, x.query)
	if err != nil {
		return nil, err
	}
	for i := range p.Items {
		add(&p.Items[i], p.Feed(p.Items[i].Feed))
	}
	return out, nil
}

func sharedItem(e *stream.Entry, f *store.FeedRow) SharedItem {
	h := &e.Header
	name := h.Link
	if name == "" {
		name = f.URL + " " + strconv.FormatUint(h.Identity, 16)
	}
	sum := sha256.Sum256([]byte(name))
	it := SharedItem{ID: "urn:sha256:" + hex.EncodeToString(sum[:]), Title: h.Title, Link: h.Link, Author: h.Author,
		Feed: f.DisplayTitle(), Snippet: h.Snippet, Published: time.Unix(h.Shown(), 0).UTC()}
	it.Updated = it.Published
	if h.Updated > h.Shown() {
		it.Updated = time.Unix(h.Updated, 0).UTC()
	}
	return it
}
