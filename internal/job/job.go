// Package job defines the messages of the queue. There is one queue, because each would be polled all month, so that
// all messages have one JSON shape with a kind. Messages are small: they name feeds by number, and never contain what
// may be outdated when they arrive.
package job

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Kinds of work.
const (
	// Scheduled polls what is due of one part in one tick. A redelivered message never polls.
	Scheduled = "scheduled"
	// First is the first crawl of feeds just added; Refresh polls a feed, or with List those of a list, because a
	// person asked for it. Both are off turn.
	First   = "first"
	Refresh = "refresh"
	// Watch and Detail continue the requests to the host of a watch with a further page of a listing, or with the page
	// of a single result (package crawl). A redelivered message requests nothing.
	Watch  = "watch"
	Detail = "detail"
	// Cleanup runs the nightly cleanup (package cleanup).
	Cleanup = "tidy"
	// Collect removes feeds without subscribers whose address contains a password, which must not stay (package
	// cleanup).
	Collect = "collect"
	// Hub subscribes to hubs or unsubscribes; Pushed commits what a hub has pushed (package websub).
	Hub    = "hub"
	Pushed = "pushed"
	// Icon looks for the icons of feeds (package icon).
	Icon = "icon"
	// Import handles some entries of an imported list; another message follows for the next ones.
	Import = "import"
	// Archive imports some lines of an archive; another message follows for the next ones (package takeout).
	Archive = "archive"
	// MoveIn brings some of what a user has in another reader; another message follows for the rest (package movein).
	MoveIn = "movein"
	// Relocate looks for new addresses of feeds that have stopped (package subscribe).
	Relocate = "find"
	// Index brings the index of searches up to date (package indexing); with Blob, all segments whose keys begin with
	// it are checked first.
	Index = "index"
	// Budget compares the month's bill with the owner's limit (package budget).
	Budget = "budget"
	// Counts is one step of a cycle in which a provider is asked how often items were bookmarked (package popular).
	Counts = "counts"
	// Phrases asks for the key phrases of one article (package explore).
	Phrases = "phrases"
	// Notify reports the new items of a delta for webhooks, of one user or of all; Hook is one delivery to one webhook
	// (package webhook).
	Notify = "tell"
	// Trouble reports that feeds have stopped, or that watches have a problem, for webhooks.
	Trouble = "trouble"
	Hook    = "hook"
	// Hooks updates the subscriber rows of a user's feeds after a change of webhooks (package webhook).
	Hooks = "hooks"
	// Notice pushes to the devices of a user, or to the one named by Hook, what has arrived (package push).
	Notice = "notice"
)

// Kinds lists all kinds.
func Kinds() []string {
	return []string{Scheduled, First, Refresh, Watch, Detail, Cleanup, Collect, Icon, Import, Archive, MoveIn, Index,
		Relocate, Hub, Pushed, Budget, Counts, Phrases, Notify, Trouble, Hook, Hooks, Notice}
}

// Job is one message.
type Job struct {
	Kind string        `json:"kind"`
	Tick schedule.Tick `json:"tick,omitempty"`
	Part int           `json:"part"`
	// Parts is into how many parts the hosts were split when Tick was planned, and Since the first tick of that number.
	Parts int           `json:"parts,omitempty"`
	Since schedule.Tick `json:"since,omitempty"`
	// Feeds are due in Tick, or are polled out of schedule.
	Feeds []reader.FeedID `json:"feeds,omitempty"`
	// Late missed a turn after the part's last tick, or wait for their first poll: they are polled once.
	Late []reader.FeedID `json:"late,omitempty"`
	// After is the place at which a message continues: after the last blob that the cleanup has checked, after the last
	// feed of Hooks.
	After string `json:"after,omitempty"`
	// User, List and Chunk name a part of a list or archive that is imported; List is also the name of a refresh
	// (store.RefreshName).
	User  reader.UserID `json:"user,omitempty"`
	List  string        `json:"list,omitempty"`
	Chunk int           `json:"chunk,omitempty"`
	// Blob is the pushed body, or the index that a search found damaged.
	Blob string `json:"blob,omitempty"`
	// Hook is the webhook of User's that a delivery is for, First or Item what it is about, as Event says where it is
	// not a star; At, in Unix milliseconds, is when an item was starred, or the time of the delta of Notify. Attempt
	// counts the tries made, and before Due, in Unix milliseconds, it is not to be tried.
	Hook    string        `json:"hook,omitempty"`
	First   reader.Seq    `json:"first,omitempty"`
	Item    reader.ItemID `json:"item,omitempty"`
	At      int64         `json:"at,omitempty"`
	Event   string        `json:"event,omitempty"`
	Attempt int           `json:"attempt,omitempty"`
	Due     int64         `json:"due,omitempty"`
	// State is the progress of a chain of Watch and Detail (package crawl), Counts (package popular) or Phrases
	// (package explore).
	State json.RawMessage `json:"state,omitempty"`
	// Except are feeds that a cycle must not ask for.
	Except []reader.FeedID `json:"except,omitempty"`
	// Receives counts the deliveries of the message, this one included. It is not part of the message.
	Receives int `json:"-"`
}

// Spot is an item with its place in the feed; Seq is zero for one that only a star has kept.
type Spot struct {
	Item reader.ItemID
	Seq  reader.Seq
}

// News makes the message for the items of a delta: its first seq, its time in Unix milliseconds. It is for the webhooks
// of one user, or with "" for all who want them.
func News(f reader.FeedID, first reader.Seq, at int64, u reader.UserID) Job {
	return Job{Kind: Notify, Feeds: []reader.FeedID{f}, First: first, At: at, User: u}
}

// Encode makes the message body.
func (j Job) Encode() []byte {
	b, _ := json.Marshal(j) // numbers and strings: cannot fail
	return b
}

// Decode reads a message body; an unreadable one is fault.Invalid.
func Decode(body []byte) (Job, error) {
	var j Job
	if err := json.Unmarshal(body, &j); err != nil {
		return j, fault.New(fault.Invalid, "bad_message", "job", err)
	}
	if !slices.Contains(Kinds(), j.Kind) {
		return j, fault.New(fault.Invalid, "unknown_message_kind", "job", nil)
	}
	return j, nil
}

// Sender puts messages on the queue, hidden for delay. *queue.Queue implements it.
type Sender interface {
	Send(ctx context.Context, bodies [][]byte, delay time.Duration) error
}

// Send puts jobs on the queue, hidden for delay. After an error some may have been sent.
func Send(ctx context.Context, s Sender, delay time.Duration, jobs ...Job) error {
	bodies := make([][]byte, len(jobs))
	for i, j := range jobs {
		bodies[i] = j.Encode()
	}
	return s.Send(ctx, bodies, delay)
}

// FeedsPerPart is the number of feeds for each part of the hosts, so that the fan-out grows with the load.
const FeedsPerPart = 250

// Parts returns into how many parts the hosts of n feeds are split: fixed, unless it is zero.
func Parts(fixed, n int) int {
	if fixed > 0 {
		return fixed
	}
	return max(1, (n+FeedsPerPart-1)/FeedsPerPart)
}

// PartOf returns the part of a URL's host.
func PartOf(url string, parts int) int { return schedule.Part(fetch.HostOf(url), parts) }

// Group makes one message for each part of the feeds' hosts.
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
