package transfer

import (
	"context"
	"io"
	"iter"
	"slices"
)

// Archive is a backup that was read from beginning to end and found complete.
type Archive struct {
	file     io.ReadSeeker
	free     int64 // see maxExpand
	manifest manifest
	total    int64 // members
}

// OpenArchive reads and checks all of an archive. It is read again while it is restored.
func OpenArchive(ctx context.Context, file io.ReadSeeker, o Options) (*Archive, error) {
	a := &Archive{file: file, free: freeExpand}
	return a, a.check(ctx, o)
}

// Restore fills an empty installation from an archive, or resumes an interrupted restore.
func Restore(ctx context.Context, a *Archive, to Installation, o Options) (Report, error) {
	f := &filler{o: o, src: a, to: to, cutoff: cutoff(o.Clock), total: a.total}
	return f.fill(ctx, a.manifest.Home, "the backup of "+a.manifest.From+" of "+
		a.manifest.Made.UTC().Format("2006-01-02 15:04 UTC"))
}

// open begins to read the archive.
func (a *Archive) open() (*archiveReader, error) {
	if _, err := a.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return newArchiveReader(a.file, a.free)
}

// check reads the whole archive.
func (a *Archive) check(ctx context.Context, o Options) error {
	r, err := a.open()
	if err != nil {
		return err
	}
	c, seen := counter{o: o, stage: "checking", sums: Sums{}}, map[id]bool{}
	for m, err := range r.members(ctx) {
		if err != nil {
			return err
		}
		if seen[m.id] {
			return damaged("it holds a row or file twice")
		}
		seen[m.id] = true
		c.add(m)
	}
	if !slices.Equal(r.end.Kinds, c.sums.Lines()) {
		return damaged("it does not hold what its end lists")
	}
	a.manifest, a.total = r.manifest, c.done
	return nil
}

func (a *Archive) members(ctx context.Context, cutoff int64) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		r, err := a.open()
		if err != nil {
			yield(member{}, err)
			return
		}
		for m, err := range r.members(ctx) {
			if !expiresBefore(m.row.TTL(), cutoff) && !yield(m, err) {
				return
			}
		}
	}
}
