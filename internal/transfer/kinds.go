package transfer

import (
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// treatment says how a copy treats a kind of row or blob.
type treatment uint8

const (
	unknown treatment = iota
	stays             // belongs to this machine or stack, and is not copied
	moves
	// movesLast rows are written after all else was compared: without accounts nobody can sign in, and without the
	// counter of feeds (of kind system) the orchestrator finds none, so that an incomplete target stays inactive.
	movesLast
)

// treatments has every kind of store.Kinds; a test checks that.
var treatments = map[string]treatment{
	"feed":         moves, // with its schedule: the next poll is due when it was
	"delta":        moves,
	"subscriber":   moves,
	"url":          moves,
	"subscription": moves, // read state and bits of stars lie in it
	"positions":    moves, // read state of the subscriptions that do not include it yet
	"star":         moves,
	"account":      movesLast,
	"email":        movesLast,
	"token":        movesLast,
	"fever":        movesLast,
	"system":       movesLast,
	"lease":        moves, // the ticks already planned, which decide what is late; not who holds it (newRow)
	"run":          moves, // they say when a feed was last polled
	"identity":     movesLast,
	"passkey":      movesLast, // they work only under the same host name
	"settings":     moves,
	"label":        moves,
	"left":         moves, // who came back within a day would miss it
	"webhook":      moves,
	"notices":      moves, // without "device" nothing is due; what was chosen holds for the devices to come
	"device":       stays, // a push service knows the address under the key of this installation
	"hub":          stays, // agreed for one address: the target subscribes again
	"session":      stays, // users sign in again
	"import":       stays, // a report for the person who imported
	"counter":      stays, // of attempts, within the hour
	"link":         stays, // one-time links are valid for a day at most and for one address
	"cache":        stays, // rebuilt on demand; an hour old at most
	"transfer":     stays, // the mark of the copy itself
	"search":       stays, // the target makes its own index
	"cycle":        moves,
	"use":          moves,
	"watch":        moves,
	"changes":      moves, // of the results of watches, which "base" and "history" have too
	"base":         moves,
	"history":      moves,
	"tokens":       moves, // a copy does not begin the month anew
}

// Kinds of blobs, by the first part of their keys.
const (
	rawKind    = "raw body"
	starKind   = "star body"
	iconKind   = "icon"
	countsKind = "counts"
	tagsKind   = "tags"
)

// prefixes has every one of store.BlobPrefixes; a test checks that.
var prefixes = map[string]struct {
	kind      string
	treatment treatment
}{
	"feeds":   {rawKind, moves},
	"stars":   {starKind, moves},
	"icons":   {iconKind, moves},
	"imports": {"import", stays}, // uploads on their way, gone within a day
	"pushed":  {"push", stays},   // what a hub pushed here; the poll brings it too
	"search":  {"segment", stays},
	"counts":  {countsKind, moves},
	"tags":    {tagsKind, moves}, // the key phrases among them took thousands of calls
	"pages":   {"page", stays},   // for setting up a watch
}

// order is the order of kinds in reports.
var order = []string{
	"account", "email", "token", "fever", "system", "feed", "url", "delta", "subscriber", "subscription", "positions",
	"star", "lease", "run", rawKind,
	starKind, iconKind, "identity", "passkey", "settings", "tokens", "label", "webhook", "notices",
	"left", "cycle", "use",
	"watch", "changes", "base", "history", countsKind, tagsKind,
}

// unknownPrefix begins the kinds of rows and blobs that this version does not know, in reports.
const unknownPrefix = "unknown: "

// classifyRow returns a row's kind and treatment. Rows of a kind that this version does not know were written by
// another one: those that expire anyway are left out, the others are copied as they are, under their prefix. Rows of a
// newer shape are errors: what this version makes of them may be wrong.
func classifyRow(r table.Row) (string, treatment, error) {
	kind := store.Kind(r.Key)
	t := treatments[kind]
	if t == unknown {
		prefix, _, _ := strings.Cut(r.Key.PK, "#")
		if kind, t = unknownPrefix+prefix, moves; r.TTL() > 0 {
			t = stays
		}
	}
	if t != stays {
		var shape struct {
			V int `dynamo:"v"`
		}
		if err := r.Decode(&shape); err != nil {
			return kind, t, err
		}
		if shape.V > store.SchemaVersion {
			return kind, t, fault.Newf(fault.Conflict, "newer_row",
				"The row %.60q %.60q was written by a newer version of the program (shape %d). Use that version.",
				r.Key.PK, r.Key.SK, shape.V)
		}
	}
	return kind, t, nil
}

// classifyBlob returns a blob's kind and treatment by its key. Blobs that this version does not know are copied.
func classifyBlob(key string) (string, treatment) {
	first, _, _ := strings.Cut(key, "/")
	p := prefixes[first]
	if p.treatment == unknown {
		return unknownPrefix + first, moves
	}
	return p.kind, p.treatment
}
