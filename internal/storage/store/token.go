package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
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
	Of      string `dynamo:"of,omitempty"`    // the list that a token of the scope feed shares: starred, label:3, …
	Created int64  `dynamo:"created"`
	Used    int64  `dynamo:"used,omitempty"`  // written at most hourly
	Agent   string `dynamo:"agent,omitempty"` // the program that used it then
	// Ends is when it expires and Revoked when it was revoked, 0 for never. It stays listed until TTL, which is later.
	Ends    int64 `dynamo:"ends,omitempty"`
	Revoked int64 `dynamo:"revoked,omitempty"`
	TTL     int64 `dynamo:"ttl,omitempty"`
	// Description is the user's own; By the device, Referrer the page, Network the shortened address of its creation.
	Description string `dynamo:"about,omitempty"`
	By          string `dynamo:"by,omitempty"`
	Referrer    string `dynamo:"ref,omitempty"`
	Network     string `dynamo:"net,omitempty"`
	// Email is the account's address when an app password was created, with which programs may sign in.
	Email string `dynamo:"email,omitempty"`
	// Fever is the key of an app password for the Fever API. Its hash is stored in a row of its own.
	Fever string `dynamo:"-"`
}

// DeadTokenDays is how long tokens stay listed that have expired or were revoked.
const DeadTokenDays = 90

// IsDead reports whether the token grants no access any more.
func (r *TokenRow) IsDead(now time.Time) bool {
	return r.Revoked > 0 || r.Ends > 0 && now.Unix() >= r.Ends
}

// listedUntil is when the row expires.
func (r *TokenRow) listedUntil() int64 {
	last := max(r.Ends, r.Revoked)
	if last == 0 {
		return 0
	}
	return last + DeadTokenDays*86400
}

// feverRow leads from the hash of a Fever key to that of its app password.
type feverRow struct {
	rowKey
	Hash string `dynamo:"hash"`
	TTL  int64  `dynamo:"ttl,omitempty"`
}

// tokenOfRow is an entry in the user's list of tokens.
type tokenOfRow struct {
	rowKey
	Hash  string `dynamo:"hash"`
	Fever string `dynamo:"fever,omitempty"` // the hash of an app password's Fever key
	TTL   int64  `dynamo:"ttl,omitempty"`
}

// TokenID names a token in lists: enough of its hash to be unique, too little to authenticate.
func TokenID(secret string) string { return HashToken(secret)[:16] }

// PutToken stores a token by its hash, after the user's list, so that every working token can be found and revoked.
func (s *Accounts) PutToken(ctx context.Context, secret string, u reader.UserID, row TokenRow) error {
	hash := HashToken(secret)
	row.User, row.ID, row.Created = string(u), TokenID(secret), s.clock.Now().Unix()
	row.TTL = row.listedUntil()
	entry := tokenOfRow{Hash: hash, TTL: row.TTL}
	if row.Fever != "" {
		entry.Fever = HashToken(row.Fever)
	}
	if err := put(ctx, s.t, tokenOfKey(u, row.ID), &entry, table.IfAbsent()); err != nil {
		return err
	}
	if err := put(ctx, s.t, tokenKey(hash), &row, table.IfAbsent()); err != nil || row.Fever == "" {
		return err
	}
	return put(ctx, s.t, feverKey(entry.Fever), &feverRow{Hash: hash, TTL: row.Ends}, table.IfAbsent())
}

// TokenOfFever returns the hash of the app password that a Fever key is of: NotFound "token_not_found".
func (s *Accounts) TokenOfFever(ctx context.Context, key string) (hash string, err error) {
	row, err := get[feverRow](ctx, s.t, feverKey(HashToken(key)), "token_not_found")
	if err != nil {
		return "", err
	}
	return row.Hash, nil
}

// Token finds a token by its hash: NotFound "token_not_found".
func (s *Accounts) Token(ctx context.Context, hash string) (*TokenRow, error) {
	return get[TokenRow](ctx, s.t, tokenKey(hash), "token_not_found")
}

// TouchToken records the use of a token last used at was, and the program, unless another instance did or it is gone.
func (s *Accounts) TouchToken(ctx context.Context, hash string, was int64, now time.Time, agent string) error {
	set := map[string]any{"used": now.Unix()}
	if agent != "" {
		set["agent"] = agent
	}
	return ignoreConflict(s.t.Update(ctx, tokenKey(hash), table.Update{
		Set: set, If: []table.Cond{table.IfPresent(), table.IfEqual("used", was)},
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

// RevokeToken revokes a token and returns its hash: NotFound "token_not_found". It stays listed for DeadTokenDays.
func (s *Accounts) RevokeToken(ctx context.Context, u reader.UserID, id string,
	now time.Time) (hash string, err error) {
	entry, err := get[tokenOfRow](ctx, s.t, tokenOfKey(u, id), "token_not_found", table.Consistent())
	if err != nil {
		return "", err
	}
	if entry.Fever != "" {
		if err := s.t.Delete(ctx, feverKey(entry.Fever)); err != nil {
			return "", err
		}
	}
	row, err := get[TokenRow](ctx, s.t, tokenKey(entry.Hash), "token_not_found", table.Consistent())
	if err != nil {
		return "", err
	}
	if row.Revoked > 0 {
		return "", fault.New(fault.NotFound, "token_not_found", "store: token", nil)
	}
	row.Revoked = now.Unix()
	set := map[string]any{"revoked": row.Revoked, "ttl": row.listedUntil()}
	change := table.Update{Set: set, If: []table.Cond{table.IfPresent()}}
	if err := ignoreConflict(s.t.Update(ctx, tokenKey(entry.Hash), change)); err != nil {
		return "", err
	}
	// An entry that a crash here leaves without an end names a row that is gone then: lists pass over it.
	change.Set = map[string]any{"ttl": row.listedUntil()}
	return entry.Hash, ignoreConflict(s.t.Update(ctx, tokenOfKey(u, id), change))
}

// RemoveToken deletes a token and returns its hash: NotFound "token_not_found". The list entry is deleted last.
func (s *Accounts) RemoveToken(ctx context.Context, u reader.UserID, id string) (hash string, err error) {
	row, err := get[tokenOfRow](ctx, s.t, tokenOfKey(u, id), "token_not_found", table.Consistent())
	if err != nil {
		return "", err
	}
	if row.Fever != "" {
		if err := s.t.Delete(ctx, feverKey(row.Fever)); err != nil {
			return "", err
		}
	}
	if err := s.t.Delete(ctx, tokenKey(row.Hash)); err != nil {
		return "", err
	}
	return row.Hash, s.t.Delete(ctx, tokenOfKey(u, id))
}
