package transfer

import (
	"context"
	"io"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Archive is a backup that was read from beginning to end and found whole.
type Archive struct {
	members *archived
	about   manifest
}

// OpenArchive reads and checks all of an archive. It is read again while it is restored.
func OpenArchive(ctx context.Context, file io.ReadSeeker, o Options) (*Archive, error) {
	o = o.withDefaults()
	s := &archived{f: file, clock: o.Clock, free: freeExpand}
	m, err := s.check(ctx, o.Progress)
	if err != nil {
		return nil, err
	}
	return &Archive{s, m}, nil
}

// Restore fills an empty place from an archive, or goes on with a restore that was broken off.
func Restore(ctx context.Context, a *Archive, to Place, o Options) (Report, error) {
	o = o.withDefaults()
	f := &filler{o: o, src: a.members, to: to}
	from := "the backup of " + a.about.From + " of " + a.about.Made.UTC().Format("2006-01-02 15:04 UTC")
	if err := f.begin(ctx, a.about.Home, from); err != nil {
		return Report{}, err
	}
	return f.run(ctx)
}

// member is the last that an archive says of a key.
type member struct {
	full [32]byte
	size int64
	kind string
	ttl  int64
}

// archived is an archive as source: of its log it gives the last state of each key, but for rows that have expired
// since, which the target would not show either.
type archived struct {
	f            io.ReadSeeker
	clock        clock.Clock
	free         int64 // see maxExpand
	last         map[id]member
	nRows, nBlob int64
}

// check reads all of the archive and remembers which member of each key is the last.
func (s *archived) check(ctx context.Context, progress func(Progress)) (manifest, error) {
	s.last = map[id]member{}
	var n, size int64
	tell := func(bytes int64) {
		n++
		size += bytes
		progress(Progress{Stage: "checking the archive", Done: n, Bytes: size})
	}
	m, end, err := s.read(ctx, visitor{
		row: func(kind string, _ fate, r table.Row) error {
			tell(int64(r.Size()))
			_, full, err := rowDigest(r)
			s.last[rowID(r.Key)] = member{full: full, size: int64(r.Size()), kind: kind, ttl: r.TTL()}
			return err
		},
		gone: func(key id) error {
			delete(s.last, key)
			return nil
		},
		blob: func(kind, key string, body []byte, m blob.Meta) error {
			tell(int64(len(body)))
			_, full := blobDigest(key, body, m)
			s.last[blobID(key)] = member{full: full, size: int64(len(body)), kind: kind}
			return nil
		},
	})
	if err != nil {
		return m, err
	}
	sums := Sums{}
	for _, e := range s.last {
		sums.add(e.kind, e.full, e.size)
		if e.kind == rawKind || e.kind == starKind {
			s.nBlob++
		} else {
			s.nRows++
		}
	}
	return m, checkKinds(end.Kinds, sums)
}

func (s *archived) read(ctx context.Context, v visitor) (manifest, archiveEnd, error) {
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return manifest{}, archiveEnd{}, err
	}
	return readArchive(ctx, s.f, s.free, v)
}

// current tells the first member that has the content which is the last of its key.
func (s *archived) current(seen map[id]bool, key id, d digest) bool {
	e, ok := s.last[key]
	if !ok || digest(e.full[:16]) != d || seen[key] {
		return false
	}
	seen[key] = true
	return e.ttl == 0 || e.ttl > s.clock.Now().Unix()
}

func (s *archived) rows(ctx context.Context, _ bool, each func(kind string, f fate, r table.Row) error) error {
	seen := map[id]bool{}
	_, _, err := s.read(ctx, visitor{
		row: func(kind string, f fate, r table.Row) error {
			d, _, err := rowDigest(r)
			if err != nil || !s.current(seen, rowID(r.Key), d) {
				return err
			}
			return each(kind, f, r)
		},
		gone: func(id) error { return nil },
		blob: func(string, string, []byte, blob.Meta) error { return nil },
	})
	return err
}

func (s *archived) blobs(ctx context.Context, each func(object) error) error {
	seen := map[id]bool{}
	_, _, err := s.read(ctx, visitor{
		row:  func(string, fate, table.Row) error { return nil },
		gone: func(id) error { return nil },
		blob: func(kind, key string, body []byte, m blob.Meta) error {
			d, _ := blobDigest(key, body, m)
			if !s.current(seen, blobID(key), d) {
				return nil
			}
			return each(object{key: key, kind: kind, size: int64(len(body)), open: func(context.Context) ([]byte, blob.Meta, error) {
				return body, m, nil
			}})
		},
	})
	return err
}

func (s *archived) count(context.Context) (rows, blobs int64, err error) {
	return s.nRows, s.nBlob, nil
}
