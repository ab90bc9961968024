package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// TokenRow is an API token, stored by its hash (C-34).
type TokenRow struct {
	rowKey
	User    string `dynamo:"user"`
	ID      string `dynamo:"id,omitempty"` // its id in the user's list
	Name    string `dynamo:"name"`
	Scope   string `dynamo:"scope,omitempty"` // empty: all of the API
	Created int64  `dynamo:"created"`
	Used    int64  `dynamo:"used,omitempty"` // written at most hourly
	TTL     int64  `dynamo:"ttl,omitempty"`
}

// tokenOfRow is an entry in the user's list of tokens.
type tokenOfRow struct {
	rowKey
	Hash string `dynamo:"hash"`
	TTL  int64  `dynamo:"ttl,omitempty"`
}

// TokenID names a token in lists: enough of its hash to be unique, too little to authenticate.
func TokenID(secret string) string { return HashToken(secret)[:16] }

// PutToken stores a token by its hash. It is added to the user's list first, so that every token that works can be found
// and revoked.
func (s *Accounts) PutToken(ctx context.Context, secret string, u reader.UserID, row TokenRow) error {
	hash := HashToken(secret)
	row.User, row.ID, row.Created = string(u), TokenID(secret), s.clock.Now().Unix()
	if err := put(ctx, s.t, tokenOfKey(u, row.ID), &tokenOfRow{Hash: hash, TTL: row.TTL}, table.IfAbsent()); err != nil {
		return err
	}
	return put(ctx, s.t, tokenKey(hash), &row, table.IfAbsent())
}

// Token finds a token by its hash: NotFound "token_not_found".
func (s *Accounts) Token(ctx context.Context, hash string) (*TokenRow, error) {
	return get[TokenRow](ctx, s.t, tokenKey(hash), "token_not_found")
}

// TouchToken records the use of a token that was last used at was. It does nothing when another instance did so, or the
// token is gone.
func (s *Accounts) TouchToken(ctx context.Context, hash string, was int64, now time.Time) error {
	return ignoreConflict(s.t.Update(ctx, tokenKey(hash), table.Update{
		Set: map[string]any{"used": now.Unix()}, If: []table.Cond{table.IfPresent(), table.IfEqual("used", was)},
	}))
}

// Tokens reads a user's tokens. An entry of the list whose token was never stored is left out.
func (s *Accounts) Tokens(ctx context.Context, u reader.UserID) ([]*TokenRow, error) {
	hashes, err := s.tokenHashes(ctx, u)
	if err != nil {
		return nil, err
	}
	keys := make([]table.Key, 0, len(hashes))
	for _, h := range hashes {
		keys = append(keys, tokenKey(h))
	}
	return batch[TokenRow](ctx, s.t, keys, table.Consistent())
}

// tokenHashes returns the hashes of a user's tokens by id.
func (s *Accounts) tokenHashes(ctx context.Context, u reader.UserID) (map[string]string, error) {
	out := map[string]string{}
	for row, err := range rows[tokenOfRow](ctx, s.t, table.Query{PK: userPK(u), Prefix: "K#", Consistent: true}) {
		if err != nil {
			return nil, err
		}
		out[strings.TrimPrefix(row.SK, "K#")] = row.Hash
	}
	return out, nil
}

// TokenIDs returns the ids of a user's tokens, including those that were never stored.
func (s *Accounts) TokenIDs(ctx context.Context, u reader.UserID) ([]string, error) {
	hashes, err := s.tokenHashes(ctx, u)
	return slices.Sorted(maps.Keys(hashes)), err
}

// EndToken revokes a token and returns its hash: NotFound "token_not_found". The list entry is deleted last.
func (s *Accounts) EndToken(ctx context.Context, u reader.UserID, id string) (hash string, err error) {
	row, err := get[tokenOfRow](ctx, s.t, tokenOfKey(u, id), "token_not_found", table.Consistent())
	if err != nil {
		return "", err
	}
	if err := s.t.Delete(ctx, tokenKey(row.Hash)); err != nil {
		return "", err
	}
	return row.Hash, s.t.Delete(ctx, tokenOfKey(u, id))
}
