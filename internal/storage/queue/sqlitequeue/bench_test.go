package sqlitequeue

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

func benchQueue(b *testing.B) *queue.Queue {
	return queue.New(open(b, filepath.Join(b.TempDir(), "queue.db"), clock.System{}), queue.Options{})
}

func batch(n int) [][]byte {
	bodies := make([][]byte, n)
	for i := range bodies {
		bodies[i] = []byte(`{"kind":"crawl","tick":123456,"part":7,"feeds":[1,2,3,4,5,6,7,8,9,10]}`)
	}
	return bodies
}

func BenchmarkSend(b *testing.B) {
	for _, n := range []int{1, 10} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			q, bodies := benchQueue(b), batch(n)
			b.ReportAllocs()
			for b.Loop() {
				if err := q.Send(b.Context(), bodies, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRoundTrip sends ten, receives and acknowledges them: a message's whole life, ten times.
func BenchmarkRoundTrip10(b *testing.B) {
	q, bodies := benchQueue(b), batch(10)
	b.ReportAllocs()
	for b.Loop() {
		if err := q.Send(b.Context(), bodies, 0); err != nil {
			b.Fatal(err)
		}
		ds, err := q.Receive(b.Context(), 10, 0)
		if err != nil || len(ds) != 10 {
			b.Fatal(len(ds), err)
		}
		for _, d := range ds {
			if err := q.Ack(b.Context(), d); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkPollEmpty is what an idle reader pays for each look.
func BenchmarkPollEmpty(b *testing.B) {
	q := benchQueue(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := q.Receive(b.Context(), 1, 0); err != nil {
			b.Fatal(err)
		}
	}
}
