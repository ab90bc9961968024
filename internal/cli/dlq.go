package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

const (
	maxLetters = 1000 // of a queue
	noLetters  = "There are no dead letters."
)

// The two queues of dead letters: messages that failed too often and, on AWS, ticks that could not be planned.
const (
	jobLetters      = "jobs"
	scheduleLetters = "schedule"
)

// letter is a dead letter as it is printed.
type letter struct {
	ID    string `json:"id"`
	Queue string `json:"queue"`
	// of the job; "tick" in the schedule's queue, "unknown" if it cannot be decoded
	Kind      string       `json:"kind"`
	Tick      *time.Time   `json:"tick"`
	Part      *int         `json:"part"`
	Reason    string       `json:"reason"`
	FirstSent time.Time    `json:"firstSentAt"`
	Died      *time.Time   `json:"diedAt"` // null if the service does not know it
	Receives  int          `json:"receives"`
	Feeds     []letterFeed `json:"feeds"`
	Body      string       `json:"body"`
}

type letterFeed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

func dlqFlags(verb string) func(*invocation) {
	return func(i *invocation) {
		workFlags(i)
		i.flags.BoolVar(&i.all, "all", false, verb+" each of them")
	}
}

func dlqList(ctx context.Context, i *invocation) error {
	h, err := i.open(ctx, i.home)
	if err != nil {
		return err
	}
	defer h.Close()
	letters, err := readLetters(ctx, h)
	if err != nil {
		return err
	}
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(letters)
	}
	return printLetters(i.Stdout, letters, h.Clock.Now())
}

func dlqRetry(ctx context.Context, i *invocation) error { return i.eachLetter(ctx, retryLetter) }

func dlqDrop(ctx context.Context, i *invocation) error { return i.eachLetter(ctx, dropLetter) }

// eachLetter calls act for the letters that the arguments name, or for all, and prints what it returns.
func (i *invocation) eachLetter(ctx context.Context, act func(context.Context, *backend.Backend, letter) (string,
	error)) error {
	if i.all == (len(i.args) > 0) {
		return &usageError{"name dead letters by their ids (ruri dlq list prints them), or give --all"}
	}
	h, err := i.open(ctx, i.home)
	if err != nil {
		return err
	}
	defer h.Close()
	letters, err := readLetters(ctx, h)
	if err != nil {
		return err
	}
	if !i.all {
		if letters, err = named(letters, i.args); err != nil {
			return err
		}
	}
	if len(letters) == 0 {
		_, err := fmt.Fprintln(i.Stdout, noLetters)
		return err
	}
	for _, l := range letters {
		result, err := act(ctx, h, l)
		if err != nil {
			return err
		}
		fmt.Fprintf(i.Stdout, "%s: %s\n", l.ID, result)
	}
	return nil
}

// named returns the letters with these ids; each must exist.
func named(letters []letter, ids []string) ([]letter, error) {
	byID := map[string]letter{}
	for _, l := range letters {
		byID[l.ID] = l
	}
	var out []letter
	for _, id := range ids {
		l, ok := byID[id]
		if !ok {
			return nil,
				fault.Newf(fault.NotFound, "no_such_dead_letter",
					"There is no dead letter %s. ruri dlq list prints those that exist.", id)
		}
		out = append(out, l)
	}
	return out, nil
}

// readLetters reads both queues of dead letters.
func readLetters(ctx context.Context, h *backend.Backend) ([]letter, error) {
	out := []letter{}
	dead, err := h.Queue.Dead(ctx, maxLetters)
	if err != nil {
		return nil, err
	}
	for _, m := range dead {
		out = append(out, describe(jobLetters, m))
	}
	if h.ScheduleLetters != nil {
		if dead, err = h.ScheduleLetters.Dead(ctx, maxLetters); err != nil {
			return nil, err
		}
		for _, m := range dead {
			out = append(out, describe(scheduleLetters, m))
		}
	}
	return out, nameFeeds(ctx, h, out)
}

func describe(from string, m queue.DeadMessage) letter {
	l := letter{
		ID: m.ID, Queue: from, Kind: "unknown", Reason: m.Reason, FirstSent: m.Sent, Receives: m.Receives,
		Feeds: []letterFeed{}, Body: string(m.Body),
	}
	if !m.Died.IsZero() {
		l.Died = &m.Died
	}
	if from == scheduleLetters {
		describeTick(&l, m.Body)
		return l
	}
	j, err := job.Decode(m.Body)
	if err != nil {
		return l
	}
	l.Kind, l.Part = j.Kind, &j.Part
	if j.Tick > 0 {
		at := j.Tick.Start()
		l.Tick = &at
	}
	for _, id := range append(j.Feeds, j.Late...) {
		l.Feeds = append(l.Feeds, letterFeed{ID: id.String()})
	}
	return l
}

// describeTick decodes a letter of the schedule: the scheduler's own is the event, a function's failure wraps it (AWS
// Lambda, "Capturing records of asynchronous invocations").
func describeTick(l *letter, body []byte) {
	type tick struct{ ScheduledTime time.Time }
	var x struct {
		tick
		RequestContext struct {
			Condition              string
			ApproximateInvokeCount int
		}
		RequestPayload  tick
		ResponsePayload struct{ ErrorMessage, ErrorType string }
	}
	if err := json.Unmarshal(body, &x); err != nil {
		return
	}
	at := x.ScheduledTime
	if why := x.ResponsePayload; why.ErrorMessage != "" || x.RequestContext.Condition != "" {
		at, l.Receives = x.RequestPayload.ScheduledTime, x.RequestContext.ApproximateInvokeCount
		l.Reason = strings.TrimSpace(strings.Trim(why.ErrorType+": "+why.ErrorMessage, ": ") + " (" +
			x.RequestContext.Condition + ")")
	}
	if !at.IsZero() {
		l.Kind, l.Tick = "tick", &at
	}
}

// nameFeeds fills in the feeds' titles and addresses.
func nameFeeds(ctx context.Context, h *backend.Backend, letters []letter) error {
	rows := map[string]*store.FeedRow{}
	var ids []reader.FeedID
	for _, l := range letters {
		for _, f := range l.Feeds {
			if id, err := reader.ParseFeedID(f.ID); err == nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	err := h.Store.Feeds.Load(ctx, ids, func(row *store.FeedRow) error {
		rows[row.ID().String()] = row
		return nil
	})
	for _, l := range letters {
		for k, f := range l.Feeds {
			if row := rows[f.ID]; row != nil {
				l.Feeds[k].Title, l.Feeds[k].URL = row.DisplayTitle(), row.URL
			}
		}
	}
	return err
}

// retryLetter sends a letter again. A tick is not sent again: the current one is planned, which includes all before it.
func retryLetter(ctx context.Context, h *backend.Backend, l letter) (string, error) {
	if l.Queue == scheduleLetters {
		jobs, err := h.Orchestrator.Run(ctx, h.Clock.Now())
		if err == nil {
			err = h.ScheduleLetters.Drop(ctx, l.ID)
		}
		return fmt.Sprintf("the present tick is planned instead, with %d messages; it catches up with what was missed.",
			len(jobs)), err
	}
	result := "sent again."
	if l.Kind == job.Scheduled && l.Tick != nil && !schedule.TickOf(*l.Tick).MayStart(h.Clock.Now()) {
		result += " Its tick is over, so it polls no feed: the next tick catches up with its feeds."
	}
	return result, h.Queue.Redrive(ctx, l.ID)
}

func dropLetter(ctx context.Context, h *backend.Backend, l letter) (string, error) {
	q := h.Queue
	if l.Queue == scheduleLetters {
		q = h.ScheduleLetters
	}
	return "removed.", q.Drop(ctx, l.ID)
}

// How much of a letter is printed: a panic's reason has its stack, which --json prints in full.
const (
	shownFeeds  = 5
	shownReason = 200
)

func printLetters(w io.Writer, letters []letter, now time.Time) error {
	if len(letters) == 0 {
		_, err := fmt.Fprintln(w, noLetters)
		return err
	}
	for _, l := range letters {
		what := l.Kind
		if l.Tick != nil {
			what += " of " + l.Tick.Local().Format("2006-01-02 15:04")
		}
		if l.Part != nil {
			what += fmt.Sprintf(", part %d", *l.Part)
		}
		reason := l.Reason
		if len(reason) > shownReason {
			reason = reader.CutBytes(reason, shownReason) + "…"
		}
		fmt.Fprintf(w, "%s\n  work        %s\n  reason      %s\n  first sent  %s (%s ago), received %d times\n",
			l.ID, what, reason,
			l.FirstSent.Local().Format("2006-01-02 15:04:05"), now.Sub(l.FirstSent).Round(time.Minute), l.Receives)
		if l.Kind == "unknown" {
			fmt.Fprintf(w, "  body        %.120q\n", l.Body)
		}
		if len(l.Feeds) > 0 {
			fmt.Fprintf(w, "  feeds       %s\n", l.feeds())
		}
	}
	_, err := fmt.Fprintf(w, "\n%d dead letters. ruri dlq retry ID sends one again, ruri dlq drop ID removes it; "+
		"--all is for all of them.\n", len(letters))
	return err
}

func (l letter) feeds() string {
	var names []string
	for _, f := range l.Feeds[:min(len(l.Feeds), shownFeeds)] {
		name := f.Title
		if name == "" {
			name = "feed " + f.ID + ", which is gone"
		}
		names = append(names, name)
	}
	text := fmt.Sprintf("%d: %s", len(l.Feeds), strings.Join(names, "; "))
	if more := len(l.Feeds) - shownFeeds; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
