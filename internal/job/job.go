// Package job defines the typed messages of the one queue. Every further queue would poll all month,
// so all work travels as one JSON shape told apart by its kind. Messages are small: they name feeds by
// number, never carry what may be stale when they arrive.
package job

import (
	"encoding/json"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Kinds of work.
const (
	// Scheduled is one part's turn in one tick. A redelivered one never polls.
	Scheduled = "scheduled"
	// First is the first crawl of feeds just added; Refresh polls a feed, or with List those of a list, because a
	// person asked for it. Both are off turn.
	First   = "first"
	Refresh = "refresh"
	// Tidy clears away what nobody needs any more, once a day (package tidy).
	Tidy = "tidy"
	// Collect removes feeds that nobody subscribes to and whose address holds a password, which is not to stay (package tidy).
	Collect = "collect"
	// Hub settles with the hubs of feeds what is due; Pushed commits what one has pushed (package websub).
	Hub    = "hub"
	Pushed = "pushed"
	// Icon looks for the icons of feeds (package icon).
	Icon = "icon"
	// Import works on some entries of a list that a user brought; the next ones follow with a message of their own.
	Import = "import"
	// Find looks for feeds that have stopped (package subscribe).
	Find = "find"
	// Tell says that feeds have news that webhooks want, those of one user or of all; Hook is one delivery to one
	// webhook (package webhook).
	Tell = "tell"
	Hook = "hook"
	// Hooks sees to it that what lies beside a user's feeds says what their webhooks want (package webhook).
	Hooks = "hooks"
)

// Job is one message.
type Job struct {
	Kind string        `json:"kind"`
	Tick schedule.Tick `json:"tick,omitempty"`
	Part int           `json:"part"`
	// Parts is into how many parts the hosts were split when Tick was planned, and Since the first tick of that number.
	Parts int           `json:"parts,omitempty"`
	Since schedule.Tick `json:"since,omitempty"`
	// Feeds have their turn in Tick, or are to be polled off turn.
	Feeds []reader.FeedID `json:"feeds,omitempty"`
	// Late had a turn since the part's last tick, or wait for a first poll: caught up with once.
	Late []reader.FeedID `json:"late,omitempty"`
	// After is where what ran out of time goes on: the last blob that a tidying has judged, the last feed of Hooks.
	After string `json:"after,omitempty"`
	// User, List and Chunk name the entries of an import; List is also the name of a refresh (store.RefreshName).
	User  reader.UserID `json:"user,omitempty"`
	List  string        `json:"list,omitempty"`
	Chunk int           `json:"chunk,omitempty"`
	// Blob is what was pushed.
	Blob string `json:"blob,omitempty"`
	// Hook is the webhook of User's that a delivery is for, First or Item (starred at At, in Unix milliseconds) what it is about;
	// Attempt counts the tries made, and before Due, in Unix milliseconds, it is not to be tried.
	Hook    string        `json:"hook,omitempty"`
	First   reader.Seq    `json:"first,omitempty"`
	Item    reader.ItemID `json:"item,omitempty"`
	At      int64         `json:"at,omitempty"`
	Attempt int           `json:"attempt,omitempty"`
	Due     int64         `json:"due,omitempty"`
}

// Encode makes the message body.
func (j Job) Encode() []byte {
	b, _ := json.Marshal(j) // numbers and strings: cannot fail
	return b
}

// Decode reads a message body; what is not ours is fault.Invalid and belongs in the dead letters.
func Decode(body []byte) (Job, error) {
	var j Job
	if err := json.Unmarshal(body, &j); err != nil {
		return j, fault.New(fault.Invalid, "bad_message", "job", err)
	}
	switch j.Kind {
	case Scheduled, First, Refresh, Tidy, Collect, Icon, Import, Find, Hub, Pushed, Tell, Hook, Hooks:
		return j, nil
	}
	return j, fault.New(fault.Invalid, "unknown_message_kind", "job", nil)
}

// FeedsPerPart is from how many feeds on the hosts are split over a further part, so that the fan-out
// grows with the load.
const FeedsPerPart = 2000

// Parts is into how many parts the hosts of n feeds are split; fixed overrides when it is not zero.
func Parts(fixed, n int) int {
	if fixed > 0 {
		return fixed
	}
	return max(1, (n+FeedsPerPart-1)/FeedsPerPart)
}

// PartOf is the part of the host that a URL is on.
func PartOf(url string, parts int) int { return schedule.Part(fetch.HostOf(url), parts) }

// Group makes one message for each part that the feeds' hosts fall into.
func Group(kind string, parts int, urls map[reader.FeedID]string) []Job {
	byPart := map[int][]reader.FeedID{}
	for f, u := range urls {
		p := PartOf(u, parts)
		byPart[p] = append(byPart[p], f)
	}
	jobs := make([]Job, 0, len(byPart))
	for p, feeds := range byPart {
		slices.Sort(feeds)
		jobs = append(jobs, Job{Kind: kind, Part: p, Feeds: feeds})
	}
	slices.SortFunc(jobs, func(a, b Job) int { return a.Part - b.Part })
	return jobs
}
