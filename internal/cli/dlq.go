package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// maxLetters is how many dead letters of a queue are looked at: who has more has another problem.
const maxLetters = 1000

// The two queues of dead letters: work that failed too often, and in the cloud ticks that could not be planned.
const (
	jobLetters      = "jobs"
	scheduleLetters = "schedule"
)

// letter is a dead letter as it is printed.
type letter struct {
	ID        string       `json:"id"`
	Queue     string       `json:"queue"`
	Kind      string       `json:"kind"` // of work; "tick" of a schedule's, "unknown" of what nobody can read
	Tick      *time.Time   `json:"tick"`
	Part      *int         `json:"part"`
	Reason    string       `json:"reason"`
	FirstSent time.Time    `json:"firstSentAt"`
	Died      *time.Time   `json:"diedAt"` // null where the service does not know
	Receives  int          `json:"receives"`
	Feeds     []letterFeed `json:"feeds"`
	Body      string       `json:"body"`
}

type letterFeed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// post is the dead letters of an open home.
type post struct {
	home *homes.Home
	out  io.Writer
}

func (i *invocation) openPost(ctx context.Context, home string) (*post, error) {
	o := homes.Options{
		Config: i.config, Lookup: i.Lookup, Version: i.Version, Clock: i.Clock, MustExist: true,
		Log: logs.New(i.Stderr, i.config.LogFormat, max(slog.LevelWarn, i.config.LogLevel)),
	}
	h, err := homes.Open(ctx, orData(home, i), o)
	return &post{h, i.Stdout}, err
}

func dlqList(ctx context.Context, i *invocation) error {
	home := i.flags.String("home", "", "home to look at: "+homeHelp+" (default: --data)")
	asJSON := i.flags.Bool("json", false, "print a JSON array, oldest first where the service knows")
	if _, err := i.parse(0); err != nil {
		return err
	}
	p, err := i.openPost(ctx, *home)
	if err != nil {
		return err
	}
	defer func() { _ = p.home.Close() }()
	letters, err := p.letters(ctx)
	if err != nil {
		return err
	}
	if *asJSON {
		return json.NewEncoder(i.Stdout).Encode(letters)
	}
	return p.print(letters)
}

func dlqRetry(ctx context.Context, i *invocation) error {
	return i.settleLetters(ctx, "send each of them again", (*post).retry)
}

func dlqDrop(ctx context.Context, i *invocation) error {
	return i.settleLetters(ctx, "remove each of them", (*post).drop)
}

// settleLetters does one thing with the letters named, or with all.
func (i *invocation) settleLetters(ctx context.Context, all string, settle func(*post, context.Context, letter) error) error {
	home := i.flags.String("home", "", "home to look at: "+homeHelp+" (default: --data)")
	every := i.flags.Bool("all", false, all)
	ids, err := i.parse(anyNumber)
	if err != nil {
		return err
	}
	if *every == (len(ids) > 0) {
		return &usageError{"name dead letters by their ids (ruri dlq list shows them), or give --all"}
	}
	p, err := i.openPost(ctx, *home)
	if err != nil {
		return err
	}
	defer func() { _ = p.home.Close() }()
	letters, err := p.letters(ctx)
	if err != nil {
		return err
	}
	if !*every {
		if letters, err = named(letters, ids); err != nil {
			return err
		}
	}
	if len(letters) == 0 {
		_, err := fmt.Fprintln(i.Stdout, "There are no dead letters.")
		return err
	}
	for _, l := range letters {
		if err := settle(p, ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// named picks letters by id; all must be there before anything is done.
func named(letters []letter, ids []string) ([]letter, error) {
	byID := map[string]letter{}
	for _, l := range letters {
		byID[l.ID] = l
	}
	var out []letter
	for _, id := range ids {
		l, ok := byID[id]
		if !ok {
			return nil, fault.Newf(fault.NotFound, "no_such_dead_letter", "There is no dead letter %s. ruri dlq list names those that there are.", id)
		}
		out = append(out, l)
	}
	return out, nil
}

// letters reads both queues of dead letters.
func (p *post) letters(ctx context.Context) ([]letter, error) {
	out := []letter{}
	dead, err := p.home.Queue.Dead(ctx, maxLetters)
	if err != nil {
		return nil, err
	}
	for _, m := range dead {
		out = append(out, describe(jobLetters, m))
	}
	if p.home.ScheduleLetters != nil {
		if dead, err = p.home.ScheduleLetters.Dead(ctx, maxLetters); err != nil {
			return nil, err
		}
		for _, m := range dead {
			out = append(out, describe(scheduleLetters, m))
		}
	}
	return out, p.nameFeeds(ctx, out)
}

// describe reads what a dead letter was about.
func describe(from string, m queue.DeadMessage) letter {
	l := letter{
		ID: m.ID, Queue: from, Kind: "unknown", Reason: m.Reason, FirstSent: m.Sent, Receives: m.Receives, Feeds: []letterFeed{}, Body: string(m.Body),
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

// describeTick reads a schedule's letter: the scheduler's own holds the event as it was, a function's failure wraps it
// (AWS Lambda, "Capturing records of asynchronous invocations").
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
		l.Reason = strings.TrimSpace(strings.Trim(why.ErrorType+": "+why.ErrorMessage, ": ") + " (" + x.RequestContext.Condition + ")")
	}
	if !at.IsZero() {
		l.Kind, l.Tick = "tick", &at
	}
}

// nameFeeds puts titles and addresses to the feeds' numbers.
func (p *post) nameFeeds(ctx context.Context, letters []letter) error {
	var ids []reader.FeedID
	at := map[string][]*letterFeed{}
	for n := range letters {
		for k := range letters[n].Feeds {
			f := &letters[n].Feeds[k]
			if at[f.ID] == nil {
				id, err := reader.ParseFeedID(f.ID)
				if err != nil {
					continue
				}
				ids = append(ids, id)
			}
			at[f.ID] = append(at[f.ID], f)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return p.home.Store.Feeds.Load(ctx, ids, func(row *store.FeedRow) error {
		for _, f := range at[row.ID().String()] {
			f.Title, f.URL = row.DisplayTitle(), row.URL
		}
		return nil
	})
}

// retry sends a letter again. A tick is not sent: the present one is planned, which catches up with all before it.
func (p *post) retry(ctx context.Context, l letter) error {
	if l.Queue == scheduleLetters {
		jobs, err := p.home.Orchestrator.Run(ctx, p.home.Clock.Now())
		if err == nil {
			err = p.home.ScheduleLetters.Drop(ctx, l.ID)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.out, "%s: the present tick is planned instead, with %d messages; it catches up with what was missed.\n", l.ID, len(jobs))
		return err
	}
	if err := p.home.Queue.Redrive(ctx, l.ID); err != nil {
		return err
	}
	note := ""
	if l.Kind == job.Scheduled && l.Tick != nil && !schedule.TickOf(*l.Tick).MayStart(p.home.Clock.Now()) {
		note = " Its tick is over, so it polls nobody: the next tick catches up with its feeds."
	}
	_, err := fmt.Fprintf(p.out, "%s: sent again.%s\n", l.ID, note)
	return err
}

// drop removes a letter.
func (p *post) drop(ctx context.Context, l letter) error {
	q := p.home.Queue
	if l.Queue == scheduleLetters {
		q = p.home.ScheduleLetters
	}
	if err := q.Drop(ctx, l.ID); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.out, "%s: removed.\n", l.ID)
	return err
}

// shownFeeds is how many feeds of a letter a person is shown.
const shownFeeds = 5

func (p *post) print(letters []letter) error {
	if len(letters) == 0 {
		_, err := fmt.Fprintln(p.out, "There are no dead letters.")
		return err
	}
	now := p.home.Clock.Now()
	for _, l := range letters {
		what := l.Kind
		if l.Tick != nil {
			what += " of " + l.Tick.Local().Format("2006-01-02 15:04")
		}
		if l.Part != nil {
			what += fmt.Sprintf(", part %d", *l.Part)
		}
		fmt.Fprintf(p.out, "%s\n  work        %s\n  reason      %s\n  first sent  %s (%s ago), received %d times\n", l.ID, what, short(l.Reason),
			l.FirstSent.Local().Format("2006-01-02 15:04:05"), now.Sub(l.FirstSent).Round(time.Minute), l.Receives)
		if l.Kind == "unknown" {
			fmt.Fprintf(p.out, "  body        %.120q\n", l.Body)
		}
		if len(l.Feeds) > 0 {
			fmt.Fprintf(p.out, "  feeds       %s\n", l.feeds())
		}
	}
	_, err := fmt.Fprintf(p.out, "\n%d dead letters. ruri dlq retry ID sends one again, ruri dlq drop ID removes it; --all is for all of them.\n", len(letters))
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

// shownReason is how much of a reason a person is shown: a panic's goes on with its stack, which --json has.
const shownReason = 200

func short(s string) string {
	if len(s) > shownReason {
		s = strings.ToValidUTF8(s[:shownReason], "") + "…"
	}
	return s
}
