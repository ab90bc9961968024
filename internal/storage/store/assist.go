package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// TokensRow has what a user's requests to a language model used in one month of UTC.
type TokensRow struct {
	rowKey

	Requests int64 `dynamo:"n"`
	In       int64 `dynamo:"in"`
	Out      int64 `dynamo:"out"`
	// Used counts what is reserved for requests under way too. A process that dies leaves its reservation.
	Used int64 `dynamo:"used"`
	TTL  int64 `dynamo:"ttl"`
}

// tokensKept is how long a month's row stays.
const tokensKept = 400 * 24 * time.Hour

// Assist reads and writes what users have used of the assistant, and to which hosts they agreed.
type Assist struct{ t *table.Table }

// Used returns a user's month.
func (s *Assist) Used(ctx context.Context, u reader.UserID, month time.Time) (TokensRow, error) {
	return getOrZero[TokensRow](ctx, s.t, tokensKey(u, month), table.Consistent())
}

// Reserve counts tokens for a request before it is sent; Conflict when they would exceed the limit.
func (s *Assist) Reserve(ctx context.Context, u reader.UserID, month time.Time, tokens, limit int64) error {
	return s.t.Update(ctx, tokensKey(u, month), table.Update{
		Add: map[string]int64{"n": 1, "used": tokens},
		Set: map[string]any{"v": SchemaVersion, "ttl": month.Add(tokensKept).Unix()},
		If:  []table.Cond{table.IfLess("used", limit-tokens+1)},
	})
}

// Settle replaces a reservation by what a request has used, and returns the month.
func (s *Assist) Settle(ctx context.Context, u reader.UserID, month time.Time, reserved, in, out int64) (row TokensRow,
	err error) {
	err = s.t.Update(ctx, tokensKey(u, month), table.Update{
		Add:    map[string]int64{"in": in, "out": out, "used": in + out - reserved},
		Return: table.ReturnNew, Into: &row,
	})
	return row, err
}

// Agreed returns the hosts to which a user allowed the text of articles to be sent, with the time of that.
func (s *Assist) Agreed(ctx context.Context, u reader.UserID) (hosts map[string]int64, err error) {
	hosts, _, err = s.agreed(ctx, u)
	return hosts, err
}

func (s *Assist) agreed(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (hosts map[string]int64,
	rev int64, err error) {
	row, err := getSettings(ctx, s.t, u, assistName, opts...)
	if err == nil && len(row.Agreed) > 0 {
		if err = json.Unmarshal(row.Agreed, &hosts); err != nil {
			err = fault.New(fault.Internal, "bad_agreed", "store: assist", err)
		}
	}
	return hosts, row.Rev, err
}

// Agree records that a user allowed a host at a time, and no other; with "" that none is allowed any more.
func (s *Assist) Agree(ctx context.Context, u reader.UserID, host string, at time.Time) error {
	return Retry("settings_contended", func() error {
		_, rev, err := s.agreed(ctx, u, table.Consistent())
		if err != nil {
			return err
		}
		row := settingsRow{Rev: rev + 1}
		if host != "" {
			if row.Agreed, err = json.Marshal(map[string]int64{host: at.Unix()}); err != nil {
				return err
			}
		}
		return putSettings(ctx, s.t, u, assistName, row)
	})
}
