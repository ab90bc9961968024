package greader_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// model is a program beside a page, with publishers that write and change what they wrote.
type model struct {
	*app
	rng   *rand.Rand
	feeds []*publisher
	ids   []reader.FeedID
	n     int
}

// TestModelPrograms lets items arrive, and both the program and the page mark, star and subscribe, in random orders
// with restarts, rules, edits and the end of retention: after each sync the program shows what the page shows.
func TestModelPrograms(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		h := programs[seed%uint64(len(programs))]
		t.Run(fmt.Sprint(h.name, ", ", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed/10%2 == 1)
			m := &model{rng: rand.New(rand.NewPCG(seed, 14))}
			for i := range 3 {
				address := fmt.Sprintf("https://host%d.example/feed%d", i, i)
				m.feeds = append(m.feeds, w.web.feed(address, 5+m.rng.IntN(10)))
				m.ids = append(m.ids, w.subscribe(w.owner, address))
			}
			w.must(w.app.Streams.SetRules(context.Background(), w.owner.id, []rules.Rule{{
				ID: "r", Conditions: []rules.Condition{{Field: rules.Title, Mode: rules.AnyWord,
					Words: []string{"spam"}}},
				Actions: []rules.Action{{Do: rules.Hide}},
			}}, 0))
			m.app = w.program(h, w.owner)
			for range 40 {
				what := m.step()
				if m.rng.IntN(3) > 0 {
					continue
				}
				if w.remote != nil {
					w.clock.Add(2 * time.Minute) // feeds' rows may be held for one
				}
				m.sync()
				m.same(w.owner, "after "+what)
			}
		})
	}
}

func (m *model) step() string {
	ctx, i := context.Background(), m.rng.IntN(len(m.ids))
	id := m.ids[i]
	m.clock.Add(time.Duration(m.rng.IntN(90)) * time.Second)
	switch m.rng.IntN(12) {
	case 0, 1, 2:
		for range 1 + m.rng.IntN(3) {
			m.n++
			m.web.publish(m.feeds[i], fmt.Sprintf("%s %d", []string{"News", "News", "Some spam"}[m.rng.IntN(3)], m.n))
		}
		m.clock.Add(time.Duration(20+m.rng.IntN(40)) * time.Minute)
		m.poll(id)
		return "news"
	case 3:
		m.markRead(m.any()...)
		return "marks in the program"
	case 4:
		m.markUnread(m.any()...)
		return "marks as unread in the program"
	case 5:
		m.star(m.rng.IntN(2) == 0, m.any()...)
		return "stars in the program"
	case 6:
		ids := m.onPage()
		yes := m.rng.IntN(2) == 0
		_, err := m.world.app.Streams.Flush(ctx, m.owner.id,
			stream.Flush{Changes: []stream.BulkChange{{IDs: ids, Change: stream.Change{Read: &yes}}}})
		m.must(err)
		return "marks on the page"
	case 7:
		ids := m.onPage()
		yes := m.rng.IntN(2) == 0
		_, err := m.world.app.Streams.Flush(ctx, m.owner.id,
			stream.Flush{Changes: []stream.BulkChange{{IDs: ids, Change: stream.Change{Starred: &yes}}}})
		m.must(err)
		return "stars on the page"
	case 8:
		m.send("mark-all-as-read", url.Values{"s": {[]string{allItems, "feed/" + id.String()}[m.rng.IntN(2)]},
			"ts": {micro(m.clock.Now())}})
		return "a mark of all in the program"
	case 9:
		if _, err := m.world.app.Streams.Get(ctx, m.owner.id, id); fault.Is(err, fault.NotFound) {
			m.send("subscription/edit",
				url.Values{"ac": {"subscribe"}, "s": {fmt.Sprintf("feed/https://host%d.example/feed%d", i, i)}})
			// A feed that nobody had for a week is another one when it comes back.
			f, _, err := m.world.app.Subscribe.Add(ctx, m.owner.id, fmt.Sprintf("https://host%d.example/feed%d", i, i),
				subscribe.Options{})
			m.must(err)
			m.ids[i] = f.ID()
			return "subscribing"
		}
		m.send("subscription/edit", url.Values{"ac": {"unsubscribe"}, "s": {"feed/" + id.String()}})
		return "unsubscribing"
	case 10:
		if m.rng.IntN(3) == 0 {
			m.clock.Add(190 * 24 * time.Hour)
			for {
				r, err := m.world.app.Cleanup.Run(ctx, job.Job{Kind: job.Cleanup})
				m.must(err)
				if r.Done {
					return "the end of retention"
				}
			}
		}
		m.web.edit(m.feeds[i])
		m.clock.Add(30 * time.Minute)
		m.poll(id)
		return "an edit"
	}
	m.start()
	return "a restart"
}

// any returns some ids that the program has.
func (m *model) any() (ids []string) {
	all := m.some(len(m.items), func(*item) bool { return true })
	slices.Sort(all)
	for _, id := range all {
		if m.rng.IntN(4) == 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// onPage returns some ids of the page's first list.
func (m *model) onPage() (ids []reader.ItemID) {
	p, err := m.world.app.Streams.List(context.Background(), m.owner.id, stream.Query{Limit: 30})
	m.must(err)
	for _, e := range p.Items {
		if m.rng.IntN(4) == 0 {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
