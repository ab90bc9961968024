package sqlitequeue

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/queue"
)

const (
	// Messages of other processes are found by polling, soon at first, then at a rate that costs nothing.
	firstPoll = 20 * time.Millisecond
	lastPoll  = 500 * time.Millisecond
)

// Send implements queue.Driver: all of a batch or none.
func (s *Store) Send(ctx context.Context, bodies [][]byte, delay time.Duration) ([]int, error) {
	now := s.now()
	err := s.transact(ctx, func(tx *sql.Tx) error {
		for _, b := range bodies {
			if _, err := tx.ExecContext(ctx, `INSERT INTO queue_messages (body, sent, visible) VALUES (?, ?, ?)`,
				b, now, now+delay.Milliseconds()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.wake()
	}
	return nil, classify("sqlitequeue: send", err)
}

// Receive implements queue.Driver.
func (s *Store) Receive(ctx context.Context, limit int, wait time.Duration, p queue.Policy) ([]queue.Delivery, error) {
	const op = "sqlitequeue: receive"
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		woken := s.woken() // before the query, so that a message sent meanwhile is noticed
		now := s.now()
		next, any, err := s.nextVisible(ctx)
		if err != nil {
			return nil, classify(op, err)
		}
		if any && next <= now {
			ds, err := s.take(ctx, limit, now, p)
			if err != nil || len(ds) > 0 {
				return ds, classify(op, err)
			}
		}
		if wait <= 0 || waiting.Err() != nil {
			return nil, ctx.Err()
		}
		sleep := poll
		if any && next > now {
			sleep = min(sleep, time.Duration(next-now)*time.Millisecond)
		}
		t := time.NewTimer(sleep)
		select {
		case <-woken:
			poll = firstPoll
		case <-t.C:
		case <-waiting.Done():
		}
		t.Stop()
	}
}

// nextVisible queries without a write transaction, so that polling an empty queue is cheap.
func (s *Store) nextVisible(ctx context.Context) (next int64, any bool, err error) {
	var n sql.NullInt64
	err = s.read.QueryRowContext(ctx, `SELECT MIN(visible) FROM queue_messages`).Scan(&n)
	return n.Int64, n.Valid, err
}

// take moves messages that were received too often to the dead letters, and receives up to limit others.
func (s *Store) take(ctx context.Context, limit int, now int64, p queue.Policy) (ds []queue.Delivery, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		const spent = `FROM queue_messages WHERE visible <= ? AND receives >= ?`
		res, err := tx.ExecContext(ctx, `INSERT INTO queue_dead (seq, body, sent, died, receives, reason)
			SELECT seq, body, sent, ?, receives, 'max_receives' `+spent, now, now, p.MaxReceives)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n > 0 {
			if _, err := tx.ExecContext(ctx, `DELETE `+spent, now, p.MaxReceives); err != nil {
				return err
			}
		}
		rows, err := tx.QueryContext(ctx, `UPDATE queue_messages SET visible = ?, receives = receives + 1, taken = 1
			WHERE seq IN (SELECT seq FROM queue_messages WHERE visible <= ? ORDER BY visible, seq LIMIT ?)
			RETURNING seq, body, sent, receives`, now+p.Visibility.Milliseconds(), now, limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var seq, sent, receives int64
			var d queue.Delivery
			if err := rows.Scan(&seq, &d.Body, &sent, &receives); err != nil {
				return err
			}
			d.Message = message(seq, d.Body, sent, receives)
			d.Handle = handle(seq, receives)
			ds = append(ds, d)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	return ds, nil
}

func message(seq int64, body []byte, sent, receives int64) queue.Message {
	return queue.Message{ID: strconv.FormatInt(seq, 10), Body: body, Receives: int(receives),
		Sent: time.UnixMilli(sent).UTC()}
}

// Ack implements queue.Driver.
func (s *Store) Ack(ctx context.Context, d queue.Delivery) error {
	const op = "sqlitequeue: ack"
	seq, receives, err := parseHandle(d.Handle)
	if err != nil {
		return err
	}
	return classify(op, s.transact(ctx, func(tx *sql.Tx) error {
		n, err := affected(tx.ExecContext(ctx, `DELETE FROM queue_messages WHERE seq = ? AND receives = ?`,
			seq, receives))
		if err != nil || n > 0 {
			return err
		}
		var there int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM queue_messages WHERE seq = ?`,
			seq).Scan(&there); err != nil {
			return err
		}
		if there > 0 {
			return stale(op)
		}
		return nil
	}))
}

// Release implements queue.Driver.
func (s *Store) Release(ctx context.Context, d queue.Delivery, after time.Duration) error {
	const op = "sqlitequeue: release"
	seq, receives, err := parseHandle(d.Handle)
	if err != nil {
		return err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		n, err := affected(tx.ExecContext(ctx,
			`UPDATE queue_messages SET visible = ?, taken = 0 WHERE seq = ? AND receives = ?`,
			s.now()+after.Milliseconds(), seq, receives))
		if err == nil && n == 0 {
			return stale(op)
		}
		return err
	})
	if err == nil {
		s.wake()
	}
	return classify(op, err)
}

func affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
