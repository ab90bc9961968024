// Package indexing maintains the search index: its job puts new and edited items into segments, merges segments, and
// drops items that are gone.
//
// A job takes these steps, and any of them may be its last:
//
//	1 it reads the row of the index, consistently, and from the newest segment how far the index reaches in each feed
//	2 it reads the deltas that are new or edited since (gather.go), and with bodies their texts (package texts)
//	3 the row takes the name of the segment that is to be made, IF it is as it was read
//	4 blobs are deleted that an older job was making, or that were dropped long enough ago
//	5 the segment is merged with some of the newest ones (merge.go), and put
//	6 the row takes the new list of segments, IF it is as it was left in step 3; if not, the job deletes its own blob
//
// Of two jobs at once, the one that took step 3 last wins, and the work of the other is lost. Row and segments are
// derived data: where they are missing or damaged, they are made again.
package indexing

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/search/texts"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// Pause is the delay before a job is tried again that would have slowed down a crawl.
	Pause = time.Minute
	// busyFor is how long other jobs wait for one that makes a segment: a second one would only undo its work.
	busyFor = 5 * time.Minute
	// dropAfter is the delay before blobs of dropped segments are deleted in the cloud, where searches use rows up to a
	// minute old. On one machine they go at once: a search that misses one reads the row again.
	dropAfter = time.Hour
)

// Options of the service.
type Options struct {
	Off      bool         // there are no searches
	Bodies   bool         // whole texts are indexed
	PutsCost bool         // a put of a blob costs the same whatever its size, as on S3
	Texts    *texts.Texts // reads whole texts; nil: one of its own
}

// Service keeps the index. It is safe for concurrent use.
type Service struct {
	store *store.Store
	blobs *blob.Bucket
	queue job.Sender
	clock clock.Clock
	log   *slog.Logger
	o     Options
	small int // segments below so many bytes are always merged
	most  int // bytes of a segment
	stepItems,
	stepBytes int // bound the items of a job
	busyFor, dropAfter time.Duration

	careless careless
}

// careless leaves rules of the protocol out, for the tests that show that they are needed.
type careless struct{ staleEdits, staleNews, lastWins bool }

// New makes the service.
func New(s *store.Store, b *blob.Bucket, q job.Sender, c clock.Clock, log *slog.Logger, o Options) *Service {
	if o.Texts == nil {
		o.Texts = texts.New(b)
	}
	// Memory is scarce on one machine: a job holds the new items, and twice the bytes that it merges.
	x := &Service{
		store: s, blobs: b, queue: q, clock: c, log: log, o: o, small: 1 << 20, most: 5 << 20, stepItems: 2000,
		stepBytes: 3 << 19,
		busyFor:   busyFor,
	}
	if o.PutsCost {
		x.small, x.most, x.dropAfter = 8<<20, 30<<20, dropAfter
		x.stepItems, x.stepBytes = 4000, 4<<20
	}
	return x
}

// mode is the mode that the row has for an index made with these options.
func (s *Service) mode() string {
	if s.o.Bodies {
		return "bodies"
	}
	return "titles"
}

// Report sums up a job.
type Report struct {
	Items    int  // put into the index
	Segments int  // of the index now
	Merged   int  // segments that became part of others
	Rebuilt  bool // the index was begun anew
	Done     bool // nothing is left to be indexed
	Lost     bool // another job is at work
}

// Run handles one message. Work beyond one job continues with another message.
func (s *Service) Run(ctx context.Context, j job.Job) (Report, error) {
	if s.o.Off {
		return Report{Done: true}, nil
	}
	rebuild := false
	if j.Blob != "" {
		isSound, err := s.verify(ctx, j.Blob)
		if err != nil {
			return Report{}, err
		}
		rebuild = !isSound
	}
	r, err := s.Step(ctx, rebuild)
	if err == nil && !r.Done && !r.Lost {
		err = job.Send(ctx, s.queue, 0, job.Job{Kind: job.Index})
	}
	return r, err
}

// patience is how long All waits for another process's job.
const patience = 30

// All indexes everything, and calls each after every step. With rebuild the index is begun anew. fault.Unavailable
// "index_busy" while another process is at work.
func (s *Service) All(ctx context.Context, rebuild bool, each func(Report)) (sum Report, err error) {
	if s.o.Off {
		return Report{Done: true}, nil
	}
	l := new(inventory)
	for waited := 0; ; {
		r, err := s.next(ctx, rebuild, l)
		if err != nil {
			return sum, err
		}
		if r.Lost {
			*l = inventory{} // the other process has done a part of it
			if waited++; waited > patience {
				return sum,
					fault.Newf(fault.Unavailable, "index_busy",
						"Another process is making the index. Try again in a few minutes.")
			}
			if err := clock.Sleep(ctx, time.Second); err != nil {
				return sum, err
			}
			continue
		}
		rebuild = false
		sum.Items, sum.Merged, sum.Rebuilt = sum.Items+r.Items, sum.Merged+r.Merged, sum.Rebuilt || r.Rebuilt
		sum.Segments, sum.Done = r.Segments, r.Done
		each(sum)
		if r.Done {
			return sum, nil
		}
	}
}

// Step does the work of one message. With rebuild the index is begun anew.
func (s *Service) Step(ctx context.Context, rebuild bool) (Report, error) {
	return s.next(ctx, rebuild, new(inventory))
}

// next does the next step for the feeds of an inventory, which is made if it is empty.
func (s *Service) next(ctx context.Context, rebuild bool, l *inventory) (Report, error) {
	r, err := s.step(ctx, rebuild, l)
	if isDamage(err) {
		s.log.Error("the index of searches is damaged and is made again", "code", fault.CodeOf(err), "error", err)
		r, err = s.step(ctx, true, l)
	}
	if fault.Is(err, fault.Conflict) {
		return Report{Lost: true}, nil
	}
	return r, err
}

// isDamage reports whether an error means that a segment that the row names is missing or not as it was written.
func isDamage(err error) bool {
	switch fault.CodeOf(err) {
	case "blob_not_found", "blob_corrupt", "bad_range":
		return true
	}
	return segment.IsDamaged(err)
}

// ignoreDamage returns nil for damage, which the caller repairs.
func ignoreDamage(err error) error {
	if isDamage(err) {
		return nil
	}
	return err
}

// index is the index as a job sees it.
type index struct {
	row     *store.SearchRow
	list    []store.Segment
	covered []segment.Covered
	dropped []store.DroppedSegment
	fresh   bool            // it is begun anew
	before  []store.Segment // of an index that is begun anew; dropped when the row has the first new one
	started time.Time
}

func (s *Service) step(ctx context.Context, rebuild bool, l *inventory) (Report, error) {
	var r Report
	row, err := s.store.Search.Get(ctx, true)
	if err != nil {
		return r, err
	}
	if row.Making != "" && s.since(row.At) < s.busyFor {
		return Report{Lost: true}, nil
	}
	ix, err := s.open(ctx, row, rebuild)
	if err != nil {
		return r, err
	}
	if ix.fresh {
		*l = inventory{} // all feeds are behind
	}
	g, err := s.gather(ctx, ix.covered, l)
	if err != nil {
		return r, err
	}
	r.Items, r.Rebuilt = len(g.part.Documents), ix.fresh && row.Exists()
	if g.changed || r.Rebuilt {
		if r.Merged, err = s.extend(ctx, ix, g); err != nil {
			return r, err
		}
	}
	if !g.more {
		if err := s.check(ctx, ix, g.floors); err != nil {
			return r, err
		}
	}
	r.Segments, r.Done = len(ix.list), !g.more
	return r, nil
}

// open reads the segments that the row names.
func (s *Service) open(ctx context.Context, row *store.SearchRow, rebuild bool) (*index, error) {
	ix := &index{row: row, started: s.clock.Now()}
	list, err := row.List()
	dropped, err2 := row.ListDropped()
	if err != nil || err2 != nil {
		s.log.Error("the row of the index of searches is damaged", "error", err)
		rebuild, list, dropped = true, nil, nil // the monthly cleanup finds the blobs
	}
	ix.dropped = dropped
	if rebuild || row.Mode != s.mode() || row.Format != segment.Format {
		ix.fresh, ix.before = true, list
		return ix, nil
	}
	ix.list = list
	if len(list) == 0 {
		return ix, nil
	}
	t, err := s.tail(ctx, &list[len(list)-1])
	if err == nil {
		ix.covered = t.Covered
	}
	return ix, err
}

func (ix *index) drop(now time.Time, list ...store.Segment) {
	for i := range list {
		ix.dropped = append(ix.dropped, store.DroppedSegment{Name: list[i].Name, At: now.Unix()})
	}
}

// tail reads the tail of a segment.
func (s *Service) tail(ctx context.Context, of *store.Segment) (*segment.Tail, error) {
	b, err := s.blobs.GetRange(ctx, store.SegmentKey(of.Name), int64(of.Size-of.Tail), int64(of.Tail))
	if err != nil {
		return nil, err
	}
	t, err := segment.Open(b, of.Size)
	if err == nil {
		err = t.Check(of.Documents, of.Newest, of.Oldest)
	}
	return t, err
}

// file reads a whole segment.
func (s *Service) file(ctx context.Context, of *store.Segment) ([]byte, error) {
	file, _, err := s.blobs.Get(ctx, store.SegmentKey(of.Name))
	if err != nil {
		return nil, err
	}
	t, err := segment.OpenFile(file)
	if err == nil {
		err = t.Check(of.Documents, of.Newest, of.Oldest)
	}
	return file, err
}

// verify reports whether the segments whose keys begin with a prefix are as they were written.
func (s *Service) verify(ctx context.Context, prefix string) (bool, error) {
	row, err := s.store.Search.Get(ctx, true)
	if err != nil {
		return false, err
	}
	list, err := row.List()
	if err != nil {
		return false, nil //nolint:nilerr // the index is begun anew
	}
	for i := range list {
		if !strings.HasPrefix(store.SegmentKey(list[i].Name), prefix) {
			continue
		}
		file, err := s.file(ctx, &list[i])
		if err == nil {
			err = segment.Verify(file)
		}
		if err != nil {
			return false, ignoreDamage(err)
		}
	}
	return true, nil
}

// newName returns a segment's name.
func newName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// since is the time since something happened, or how far a clock was set back since then.
func (s *Service) since(at int64) time.Duration { return s.clock.Now().Sub(time.Unix(at, 0)).Abs() }

func (s *Service) today() int32 { return schedule.DayOf(schedule.TickOf(s.clock.Now())) }
