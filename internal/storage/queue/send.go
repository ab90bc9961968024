package queue

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	sendTries = 6                     // of messages that a service rejects at first
	sendPause = 50 * time.Millisecond // doubled each time, and jittered in full
)

// Send stores messages, hidden for delay (at most MaxDelay). All are validated before any is sent. They are sent in
// batches of ten, and rejected ones again a few times. After an error some may have been sent; sending all again may
// duplicate those, which handlers must tolerate anyway.
func (q *Queue) Send(ctx context.Context, bodies [][]byte, delay time.Duration) error {
	const op = "queue: send"
	if err := ctx.Err(); err != nil {
		return settle(ctx, op, err)
	}
	if delay < 0 || delay > MaxDelay {
		return fault.New(fault.Invalid, "bad_delay", op, nil)
	}
	for _, b := range bodies {
		if len(b) > MaxBody {
			return fault.New(fault.TooLarge, "message_too_large", op, nil)
		}
		if len(b) == 0 || !sendable(b) {
			return fault.New(fault.Invalid, "bad_message", op, nil)
		}
	}
	for len(bodies) > 0 {
		n := batchLen(bodies)
		if err := q.sendBatch(ctx, bodies[:n], delay); err != nil {
			return settle(ctx, op, err)
		}
		bodies = bodies[n:]
	}
	return nil
}

func (q *Queue) sendBatch(ctx context.Context, bodies [][]byte, delay time.Duration) error {
	for try := 1; ; try++ {
		again, err := q.d.Send(ctx, bodies, delay)
		q.meter.sent(bodies)
		if err == nil && len(again) == 0 {
			return nil
		}
		if err != nil && !fault.Is(err, fault.RateLimited) {
			return err
		}
		if err == nil {
			left := make([][]byte, 0, len(again))
			for _, i := range again {
				left = append(left, bodies[i])
			}
			bodies = left
			err = fault.New(fault.Unavailable, "queue_unavailable", "", nil)
		}
		if try == sendTries {
			return err
		}
		if err := q.sleep(ctx, rand.N(sendPause<<try)); err != nil {
			return err
		}
	}
}

// batchLen returns the number of messages in the next batch.
func batchLen(bodies [][]byte) int {
	size := 0
	for n, b := range bodies {
		if size += len(b); n == MaxBatch || size > MaxBody {
			return n
		}
	}
	return len(bodies)
}

// sendable reports whether every service transports the bytes unchanged: SQS allows the characters of XML 1.0 (2.2).
func sendable(b []byte) bool {
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || r == 0xFFFE || r == 0xFFFF {
			return false
		}
		i += n
	}
	return true
}

const maxReason = 1000

// clean makes a valid reason of any text: short, and only with characters that every service transports.
func clean(reason string) string {
	reason = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(reader.CutBytes(reason, maxReason), "?"))
	if reason = strings.TrimSpace(reason); reason == "" {
		return "unknown"
	}
	return reason
}
