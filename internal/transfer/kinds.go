package transfer

import (
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// fate is what becomes of a kind of row or blob when a home is copied.
type fate uint8

const (
	unknown fate = iota
	stays        // belongs to the place, not to the home
	moves
	// door rows come last, after all else was compared: without accounts nobody can sign in, and without the
	// counter of feeds (of kind system) the orchestrator finds none, so that a target sleeps until it is whole.
	door
)

// fates has every kind of store.Kinds; a test says so.
var fates = map[string]fate{
	"feed":         moves, // with its place on the wheel: the next poll is when it was going to be
	"delta":        moves,
	"subscriber":   moves,
	"url":          moves,
	"subscription": moves, // read state and bits of stars lie in it
	"star":         moves,
	"account":      door,
	"email":        door,
	"token":        door,
	"system":       door,
	"lease":        moves, // how far the wheel has come, which decides what is late; its hold does not (freed)
	"run":          moves, // by its runs is known when a feed was last polled
	"identity":     door,
	"passkey":      door, // they open the other place only under the same name of host
	"settings":     moves,
	"label":        moves,
	"left":         moves, // who came back within a day would miss it
	"webhook":      moves,
	"hub":          stays, // agreed for one address: the other place asks anew
	"session":      stays, // one signs in anew, with another secret
	"import":       stays, // a report on what was done at one place
	"counter":      stays, // of tries at this place, within the hour
	"link":         stays, // one-time links hold for a day at most and for one address
	"cache":        stays, // made again by the first reader; an hour old at most
	"transfer":     stays, // the mark of this very work
}

// Kinds of blobs, by the first part of their keys.
const (
	rawKind  = "raw body"
	starKind = "star body"
	iconKind = "icon"
)

var prefixes = map[string]struct {
	kind string
	fate fate
}{
	"feeds":   {rawKind, moves},
	"stars":   {starKind, moves},
	"icons":   {iconKind, moves},
	"imports": {"import", stays}, // uploads on their way, gone within a day
	"pushed":  {"push", stays},   // what a hub pushed here; the poll brings it too
}

// order is how kinds are listed for people.
var order = []string{
	"account", "email", "token", "system", "feed", "url", "delta", "subscriber", "subscription", "star", "lease", "run", rawKind,
	starKind, iconKind, "identity", "passkey", "settings", "label", "webhook", "left",
}

// judge tells a row's kind and fate. What this version does not know is refused: left behind in silence it would
// be lost.
func judge(r table.Row) (string, fate, error) {
	kind := store.Kind(r.Key)
	f := fates[kind]
	if f == unknown {
		return kind, f, fault.Newf(fault.Conflict, "unknown_row",
			"The row %.60q %.60q is of a kind that this version of the program does not know. Use the version that wrote it.", r.Key.PK, r.Key.SK)
	}
	if f != stays {
		var shape struct {
			V int `dynamo:"v"`
		}
		if err := r.Decode(&shape); err != nil {
			return kind, f, err
		}
		if shape.V > store.SchemaVersion {
			return kind, f, fault.Newf(fault.Conflict, "newer_row",
				"The row %.60q %.60q was written by a newer version of the program (shape %d). Use that version.", r.Key.PK, r.Key.SK, shape.V)
		}
	}
	return kind, f, nil
}

// freed gives a lease without its hold: nobody holds it at the other place.
func freed(kind string, r table.Row) (table.Row, error) {
	if kind != "lease" {
		return r, nil
	}
	return r.Without("until")
}

// judgeBlob tells a blob's kind and fate by its key.
func judgeBlob(key string) (string, fate, error) {
	first, _, _ := strings.Cut(key, "/")
	p := prefixes[first]
	if p.fate == unknown {
		return "", unknown, fault.Newf(fault.Conflict, "unknown_blob",
			"The file %.80q is of a kind that this version of the program does not know.", key)
	}
	return p.kind, p.fate, nil
}
