package push

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// Arrived plans a notification of a feed's new items, unless the user has not chosen the feed, or one is planned.
func (s *Service) Arrived(ctx context.Context, u reader.UserID, f *store.FeedRow) error {
	row, err := s.Store.Notices.Get(ctx, u)
	if err != nil || !row.On || s.isPlanned(row) {
		return err
	}
	own, err := s.Store.Subscriptions.Get(ctx, u, f.ID())
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	p, err := s.placesOf(ctx, u, row)
	if err != nil || !p.has(own) {
		return err
	}
	due := int64(0)
	_, err = s.Store.Notices.Change(ctx, u, func(row *store.NoticesRow) bool {
		if !row.On || s.isPlanned(row) {
			due = 0
			return false
		}
		at := s.Clock.Now().Add(foldFor)
		if next := time.UnixMilli(row.Turn).Add(gap); row.Turn > 0 && next.After(at) {
			at = next
		}
		row.Due = afterQuiet(row, at).UnixMilli()
		due = row.Due
		return true
	})
	if err != nil || due == 0 {
		return err
	}
	return s.send(ctx, job.Job{Kind: job.Notice, User: u, Due: due})
}

func (s *Service) isPlanned(row *store.NoticesRow) bool {
	return row.Due > 0 && s.now() < row.Due+lostAfter.Milliseconds()
}

// send sends a message that is to arrive when it is due; one that arrives earlier is returned with an EarlyError.
func (s *Service) send(ctx context.Context, j job.Job) error {
	wait := time.Duration(j.Due-s.now()) * time.Millisecond
	return job.Send(ctx, s.Queue, min(max(wait, 0), queue.MaxDelay), j)
}

// afterQuiet returns a time, or the end of the quiet hours that it is in.
func afterQuiet(row *store.NoticesRow, at time.Time) time.Time {
	zone, err := time.LoadLocation(row.Zone)
	if err != nil || row.QuietFrom == row.QuietTo {
		return at
	}
	local := at.In(zone)
	minute := local.Hour()*60 + local.Minute()
	isWithin := minute >= row.QuietFrom && minute < row.QuietTo
	if row.QuietFrom > row.QuietTo { // over midnight
		isWithin = minute >= row.QuietFrom || minute < row.QuietTo
	}
	if !isWithin {
		return at
	}
	year, month, day := local.Date()
	end := time.Date(year, month, day, 0, row.QuietTo, 0, 0, zone)
	if !end.After(at) {
		end = time.Date(year, month, day+1, 0, row.QuietTo, 0, 0, zone)
	}
	return end
}

// Work handles a message of kind Notice.
func (s *Service) Work(ctx context.Context, j job.Job) error {
	if early := time.Duration(j.Due-s.now()) * time.Millisecond; early > 0 {
		return &webhook.EarlyError{After: min(early, waitsAtMost)}
	}
	if j.Hook != "" {
		return s.again(ctx, j)
	}
	row, err := s.claim(ctx, j)
	if err != nil || row == nil {
		return err
	}
	devices, err := s.Store.Notices.Devices(ctx, j.User)
	if err != nil {
		return err
	}
	if len(devices) == 0 { // they did not come along in a copy of the installation
		return s.turn(ctx, j.User, false)
	}
	news, err := s.news(ctx, j.User, row, row.From)
	if err != nil || len(news) == 0 {
		return err
	}
	for _, d := range devices {
		one := job.Job{Kind: job.Notice, User: j.User, Hook: d.ID(), At: row.From}
		if err := s.deliver(ctx, d, news, one); err != nil {
			return err
		}
	}
	return nil
}

// claim takes the turn of a message, or the one again that it had taken before a crash; nil when it is not its turn.
func (s *Service) claim(ctx context.Context, j job.Job) (*store.NoticesRow, error) {
	isOurs := false
	row, err := s.Store.Notices.Change(ctx, j.User, func(row *store.NoticesRow) bool {
		isOurs = row.On && (row.Due == j.Due || row.Turn == j.Due)
		if !isOurs || row.Due != j.Due {
			return false
		}
		row.Turn, row.Due, row.From, row.Noted = j.Due, 0, row.Noted, s.now()-settled.Milliseconds()
		return true
	})
	if err != nil || !isOurs {
		return nil, err
	}
	return row, nil
}

// again tries one device again, with what is still unread.
func (s *Service) again(ctx context.Context, j job.Job) error {
	row, err := s.Store.Notices.Get(ctx, j.User)
	if err != nil || !row.On {
		return err
	}
	d, err := s.Store.Notices.Device(ctx, j.User, j.Hook)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	news, err := s.news(ctx, j.User, row, j.At)
	if err != nil || len(news) == 0 {
		return err
	}
	return s.deliver(ctx, d, news, j)
}

// places are the feeds and lists for which a user chose notifications.
type places struct {
	within []reader.FolderID
	picks  []*webhook.Pick
}

// placesOf reads what a user chose. Folders and searches that are gone count for nothing.
func (s *Service) placesOf(ctx context.Context, u reader.UserID, row *store.NoticesRow) (p places, err error) {
	if len(row.Folders) > 0 {
		var tree library.Tree
		if tree, err = s.Store.Trees.Get(ctx, u, table.Consistent()); err != nil {
			return p, err
		}
		for _, id := range row.Folders {
			if below, err := tree.Within(reader.FolderID(id)); err == nil {
				p.within = append(p.within, below...)
			}
		}
	}
	for _, id := range row.Searches {
		pick, err := s.Hooks.Find(ctx, u, reader.SearchID(id))
		switch {
		case err == nil:
			p.picks = append(p.picks, pick)
		case !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Invalid):
			return p, err
		}
	}
	return p, nil
}

// isWhole reports whether all items of a feed are chosen. A muted feed is only chosen by itself.
func (p *places) isWhole(own *store.SubscriptionRow) bool {
	return own.Notify || !own.Mute && own.In(p.within)
}

// has reports whether items of a feed may be chosen.
func (p *places) has(own *store.SubscriptionRow) bool {
	return p.isWhole(own) ||
		slices.ContainsFunc(p.picks, func(x *webhook.Pick) bool { return x.MayHave(own.Feed(), own) })
}

// wants reports whether an item is chosen.
func (p *places) wants(x *stream.Arrival) bool {
	own := x.In.Sub
	return p.isWhole(own) || slices.ContainsFunc(p.picks, func(pick *webhook.Pick) bool {
		return pick.MayHave(own.Feed(), own) && pick.Wants(&x.Header)
	})
}

// news returns the chosen items that arrived after a time and up to the row's turn, and are unread, the newest first.
func (s *Service) news(ctx context.Context, u reader.UserID, row *store.NoticesRow, after int64) ([]stream.Arrival,
	error) {
	p, err := s.placesOf(ctx, u, row)
	if err != nil {
		return nil, err
	}
	list, err := s.Streams.Arrived(ctx, u, after/1000, row.Noted/1000,
		func(x *stream.Subscribed) bool { return p.has(x.Sub) })
	if err != nil {
		return nil, err
	}
	wanted, err := s.wanted(ctx, list)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(x stream.Arrival) bool {
		o := x.Header.Offer
		isOther := wanted[x.Feed] > 0 && (o == nil || watch.EventKind(o.Event) != watch.Reached)
		return isOther || !p.wants(&x)
	}), nil
}

// wanted returns the prices that are wanted of those watches that items are of. Such a watch tells when its price is
// reached, and nothing else.
func (s *Service) wanted(ctx context.Context, list []stream.Arrival) (map[reader.FeedID]int64, error) {
	out := map[reader.FeedID]int64{}
	for i := range list {
		f := list[i].In.Feed
		if _, isKnown := out[f.ID()]; isKnown || !f.IsWatch() {
			continue
		}
		out[f.ID()] = 0
		row, err := s.Store.Watches.Settings(ctx, f.ID())
		if err != nil {
			if fault.Is(err, fault.NotFound) { // it is being removed
				continue
			}
			return nil, err
		}
		set, err := row.Decode()
		if err != nil {
			return nil, err
		}
		out[f.ID()] = set.Wanted
	}
	return out, nil
}
