package sqlitequeue

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

// Bury implements queue.Driver.
func (s *Store) Bury(ctx context.Context, d queue.Delivery, reason string) error {
	const op = "sqlitequeue: bury"
	seq, receives, err := parseHandle(d.Handle)
	if err != nil {
		return err
	}
	return classify(op, s.transact(ctx, func(tx *sql.Tx) error {
		n, err := affected(tx.ExecContext(ctx, `INSERT INTO queue_dead (seq, body, sent, died, receives, reason)
			SELECT seq, body, sent, ?, receives, ? FROM queue_messages WHERE seq = ? AND receives = ?`,
			s.now(), reason, seq, receives))
		if err != nil {
			return err
		}
		if n == 0 {
			return stale(op)
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM queue_messages WHERE seq = ?`, seq)
		return err
	}))
}

// Dead implements queue.Driver.
func (s *Store) Dead(ctx context.Context, limit int) (ms []queue.DeadMessage, err error) {
	const op = "sqlitequeue: dead letters"
	rows, err := s.read.QueryContext(ctx,
		`SELECT seq, body, sent, died, receives, reason FROM queue_dead ORDER BY died, seq LIMIT ?`, limit)
	if err != nil {
		return nil, classify(op, err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq, sent, died, receives int64
		var m queue.DeadMessage
		if err := rows.Scan(&seq, &m.Body, &sent, &died, &receives, &m.Reason); err != nil {
			return nil, classify(op, err)
		}
		m.Message = message(seq, m.Body, sent, receives)
		m.Died = time.UnixMilli(died).UTC()
		ms = append(ms, m)
	}
	return ms, classify(op, rows.Err())
}

// Redrive implements queue.Driver.
func (s *Store) Redrive(ctx context.Context, id string) error {
	const op = "sqlitequeue: redrive"
	err := s.removeDead(ctx, op, id, func(tx *sql.Tx, seq int64) error {
		now := s.now()
		_, err := tx.ExecContext(ctx, `INSERT INTO queue_messages (body, sent, visible)
			SELECT body, ?, ? FROM queue_dead WHERE seq = ?`, now, now, seq)
		return err
	})
	if err == nil {
		s.wake()
	}
	return err
}

// Drop implements queue.Driver.
func (s *Store) Drop(ctx context.Context, id string) error {
	return s.removeDead(ctx, "sqlitequeue: drop", id, func(*sql.Tx, int64) error { return nil })
}

func (s *Store) removeDead(ctx context.Context, op, id string, before func(*sql.Tx, int64) error) error {
	seq, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return fault.New(fault.NotFound, "dead_letter_not_found", op, nil)
	}
	return classify(op, s.transact(ctx, func(tx *sql.Tx) error {
		if err := before(tx, seq); err != nil {
			return err
		}
		n, err := affected(tx.ExecContext(ctx, `DELETE FROM queue_dead WHERE seq = ?`, seq))
		if err == nil && n == 0 {
			return fault.New(fault.NotFound, "dead_letter_not_found", op, nil)
		}
		return err
	}))
}
