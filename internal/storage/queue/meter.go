package queue

import "sync/atomic"

// chunk is what SQS bills as one request (its pricing page: "every 64 KB chunk of a payload").
const chunk = 64 << 10

// Requests is what a meter has counted, in the requests that SQS bills: a call is one for each 64 KB of what
// it carries, and at least one. A receive that brought nothing is a request too: EmptyReceives counts those of
// Receives that did.
type Requests struct {
	Sends, Receives, EmptyReceives, Acks, Releases, Buries int64
	Messages, BytesSent, BytesReceived                     int64
}

// Total is how many requests are billed.
func (r Requests) Total() int64 { return r.Sends + r.Receives + r.Acks + r.Releases + r.Buries }

// Minus gives what was counted since an earlier snapshot.
func (r Requests) Minus(o Requests) Requests {
	return Requests{
		Sends: r.Sends - o.Sends, Receives: r.Receives - o.Receives, EmptyReceives: r.EmptyReceives - o.EmptyReceives,
		Acks: r.Acks - o.Acks, Releases: r.Releases - o.Releases, Buries: r.Buries - o.Buries,
		Messages: r.Messages - o.Messages, BytesSent: r.BytesSent - o.BytesSent, BytesReceived: r.BytesReceived - o.BytesReceived,
	}
}

// Meter counts requests. It is safe for concurrent use.
type Meter struct {
	sends, receives, empty, acks, releases, buries, messages, bytesSent, bytesReceived atomic.Int64
}

// Snapshot gives the counts so far.
func (m *Meter) Snapshot() Requests {
	return Requests{
		Sends: m.sends.Load(), Receives: m.receives.Load(), EmptyReceives: m.empty.Load(),
		Acks: m.acks.Load(), Releases: m.releases.Load(), Buries: m.buries.Load(),
		Messages: m.messages.Load(), BytesSent: m.bytesSent.Load(), BytesReceived: m.bytesReceived.Load(),
	}
}

// Meter gives what this Queue has asked of its driver since it was made. Where the service hands messages over
// by itself (Lambda's event source), its receives and deletes are not seen here.
func (q *Queue) Meter() *Meter { return &q.meter }

// chunks gives how many requests a payload is.
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

// buried counts what moving a message to the dead letters is: it is sent there, and deleted here.
func (m *Meter) buried(d Delivery) { m.buries.Add(chunks(len(d.Body)) + 1) }
