package indexing

import (
	"context"
	"runtime"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// toMerge returns how many of the newest segments to merge with new bytes: those that are small, or not much larger
// than what follows them, up to the largest size.
func toMerge(list []store.Segment, sum, small, most int) (n int) {
	for ; n < len(list); n++ {
		size := list[len(list)-1-n].Size
		if size >= small && size >= 4*sum || sum+size > most {
			break
		}
		sum += size
	}
	return n
}

// manyBytes is the size of a segment from which a garbage collection after building it is worthwhile.
const manyBytes = 1 << 20

// built is a segment in memory.
type built struct {
	file []byte
	tail int
}

// extend takes steps 3 to 6 for the gathered items.
func (s *Service) extend(ctx context.Context, ix *index, g *gathered) (merged int, err error) {
	var added *built
	if len(g.part.Documents)+len(g.part.Covered)+len(ix.list) > 0 {
		added = new(built)
		if added.file, added.tail, err = segment.Build(&g.part); err != nil {
			return 0, err
		}
		g.part.Documents = nil
		if len(added.file) >= manyBytes {
			runtime.GC() // what building took is needed for the merge
		}
		merged = toMerge(ix.list, len(added.file), s.small, s.most)
	}
	keep := func(f reader.FeedID, seq reader.Seq) bool { return lives(g.floors, f, seq) }
	return merged, s.replace(ctx, ix, len(ix.list)-merged, len(ix.list), added, keep)
}

// replace merges the segments from first up to last, and any to be added, into one in their place.
func (s *Service) replace(ctx context.Context, ix *index, first, last int, added *built, keep segment.Keep) error {
	name := newName()
	next := *ix.row
	next.Making, next.At = name, s.clock.Now().Unix()
	row, err := s.store.Search.Replace(ctx, ix.row, &next)
	if err != nil {
		return err
	}
	if old := ix.row.Making; old != "" {
		if err := s.blobs.Delete(ctx, store.SegmentKey(old)); err != nil {
			return err
		}
	}
	if err := s.deleteDropped(ctx, ix); err != nil {
		return err
	}
	var made []store.Segment
	if added != nil || first < last {
		if made, err = s.merge(ctx, ix, name, first, last, added, keep); err != nil {
			return err
		}
	}
	list := append(append(append([]store.Segment{}, ix.list[:first]...), made...), ix.list[last:]...)
	ix.drop(s.clock.Now(), ix.list[first:last]...)
	ix.drop(s.clock.Now(), ix.before...)
	ix.before = nil
	next = *row
	next.Making, next.At, next.Mode, next.Format = "", s.clock.Now().Unix(), s.mode(), segment.Format
	next.SetList(list)
	next.SetDropped(ix.dropped)
	if s.careless.lastWins {
		if row, err = s.store.Search.Get(ctx, true); err != nil {
			return err
		}
	}
	row, err = s.store.Search.Replace(ctx, row, &next)
	if fault.Is(err, fault.Conflict) {
		if err := s.blobs.Delete(context.WithoutCancel(ctx), store.SegmentKey(name)); err != nil {
			s.log.Warn("a segment that another job made useless was not deleted", "name", name, "error", err)
		}
	}
	if err != nil {
		return err
	}
	ix.row, ix.list = row, list
	if s.dropAfter > 0 {
		return nil
	}
	return s.deleteDropped(ctx, ix)
}

// merge puts the segment. It returns none if nothing is left of segments that newer ones follow.
func (s *Service) merge(ctx context.Context, ix *index, name string, first, last int, added *built,
	keep segment.Keep) ([]store.Segment, error) {
	old := make([][]byte, 0, last-first+1)
	for i := first; i < last; i++ {
		file, err := s.file(ctx, &ix.list[i])
		if err != nil {
			return nil, err
		}
		old = append(old, file)
	}
	one := added
	if first < last {
		if added != nil {
			old = append(old, added.file)
		}
		one = new(built)
		var err error
		if one.file, one.tail, err = segment.Merge(old, segment.Options{Keep: keep, Whole: first == 0}); err != nil {
			return nil, err
		}
	}
	t, err := segment.OpenFile(one.file)
	if err != nil {
		return nil, err
	}
	n := len(t.Documents)
	if n+len(t.Replaces) == 0 && last < len(ix.list) {
		return nil, nil
	}
	made := store.Segment{Name: name, Size: len(one.file), Tail: one.tail, Documents: n, Made: s.today(),
		Checked: s.today()}
	if n > 0 {
		made.Newest, made.Oldest = t.Documents[0].Sort, t.Documents[n-1].Sort
	}
	return []store.Segment{made},
		s.blobs.Put(ctx, store.SegmentKey(name), one.file, blob.Meta{ContentType: "application/octet-stream"})
}

// deleteDropped deletes the blobs of segments that were dropped long enough ago. The row's next write forgets them.
func (s *Service) deleteDropped(ctx context.Context, ix *index) error {
	var left []store.DroppedSegment
	for _, d := range ix.dropped {
		if s.since(d.At) < s.dropAfter {
			left = append(left, d)
			continue
		}
		if err := s.blobs.Delete(ctx, store.SegmentKey(d.Name)); err != nil {
			return err
		}
	}
	ix.dropped = left
	return nil
}
