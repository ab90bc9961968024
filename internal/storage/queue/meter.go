package queue

import "sync/atomic"

// chunk is the size that SQS bills as one request (its pricing page: "every 64 KB chunk of a payload").
const chunk = 64 << 10

// Requests counts the requests that SQS bills: one for each started 64 KB of a call, and at least one. EmptyReceives
// are those of Receives that returned no message.
type Requests struct {
	Sends, Receives, EmptyReceives, Acks, Releases, Buries int64
	Messages, BytesSent, BytesReceived                     int64
}

// Meter counts requests. It is safe for concurrent use.
type Meter struct {
	sends, receives, empty, acks, releases, buries, messages, bytesSent, bytesReceived atomic.Int64
}

// Snapshot returns the counts so far.
func (m *Meter) Snapshot() Requests {
	return Requests{
		Sends: m.sends.Load(), Receives: m.receives.Load(), EmptyReceives: m.empty.Load(),
		Acks: m.acks.Load(), Releases: m.releases.Load(), Buries: m.buries.Load(),
		Messages: m.messages.Load(), BytesSent: m.bytesSent.Load(), BytesReceived: m.bytesReceived.Load(),
	}
}

// Meter counts the requests of this Queue since it was made. Receives and deletes of Lambda's event source are not
// included.
func (q *Queue) Meter() *Meter { return &q.meter }

// chunks returns the number of requests billed for a payload.
func chunks(size int) int64 { return int64(max(1, (size+chunk-1)/chunk)) }

func (m *Meter) sent(bodies [][]byte) {
	size := 0
	for _, b := range bodies {
		size += len(b)
	}
	m.sends.Add(chunks(size))
	m.messages.Add(int64(len(bodies)))
	m.bytesSent.Add(int64(size))
}

func (m *Meter) received(ds []Delivery) {
	size := 0
	for _, d := range ds {
		size += len(d.Body)
	}
	m.receives.Add(chunks(size))
	m.bytesReceived.Add(int64(size))
	if len(ds) == 0 {
		m.empty.Add(1)
	}
}

// buried counts a move to the dead letters: a send there and a delete here.
func (m *Meter) buried(d Delivery) { m.buries.Add(chunks(len(d.Body)) + 1) }
