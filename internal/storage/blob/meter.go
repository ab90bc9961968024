package blob

import "sync/atomic"

// Requests counts calls of the driver, which are S3's requests. A put whose key exists and a get of an absent blob are
// counted, because they are billed. The few requests that a driver repeats (a conditional put that conflicts with
// another) are not.
type Requests struct {
	Puts, Gets, Stats, Lists, Deletes int64
	BytesPut, BytesGot                int64 // of bodies, including puts whose key exists
	Created                           int64 // puts that stored something
	BytesCreated                      int64
}

// Minus returns what was counted since an earlier snapshot.
func (r Requests) Minus(o Requests) Requests {
	return Requests{
		Puts: r.Puts - o.Puts, Gets: r.Gets - o.Gets, Stats: r.Stats - o.Stats, Lists: r.Lists - o.Lists,
		Deletes:  r.Deletes - o.Deletes,
		BytesPut: r.BytesPut - o.BytesPut, BytesGot: r.BytesGot - o.BytesGot,
		Created: r.Created - o.Created, BytesCreated: r.BytesCreated - o.BytesCreated,
	}
}

// Meter counts requests. It is safe for concurrent use.
type Meter struct {
	puts, gets, stats, lists, deletes        atomic.Int64
	bytesPut, bytesGot, created, createdSize atomic.Int64
}

// Snapshot returns the counts so far.
func (m *Meter) Snapshot() Requests {
	return Requests{
		Puts: m.puts.Load(), Gets: m.gets.Load(), Stats: m.stats.Load(), Lists: m.lists.Load(),
		Deletes:  m.deletes.Load(),
		BytesPut: m.bytesPut.Load(), BytesGot: m.bytesGot.Load(),
		Created: m.created.Load(), BytesCreated: m.createdSize.Load(),
	}
}

// Meter counts the requests of this Bucket since it was made.
func (b *Bucket) Meter() *Meter { return &b.meter }

func (m *Meter) put(size int, created bool) {
	m.puts.Add(1)
	m.bytesPut.Add(int64(size))
	if created {
		m.created.Add(1)
		m.createdSize.Add(int64(size))
	}
}
