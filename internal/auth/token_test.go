package auth

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// H-16
func TestTokens(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "")
	token, err := w.NewToken(t.Context(), u, " phone ", "", time.Time{})
	if err != nil || !strings.HasPrefix(token, TokenPrefix) {
		t.Fatalf("the token is %q, %v", token, err)
	}
	session, _, err := w.NewSession(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := w.Bearer(t.Context(), token); err != nil || got.User != u {
		t.Errorf("the token is %q's, %v", got.User, err)
	}
	for _, bad := range []string{"", TokenPrefix, token[:len(token)-1], token + "x", strings.ToUpper(token), session,
		TokenPrefix + strings.Repeat("x", 9000)} {
		if got, err := w.Bearer(t.Context(), bad); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%.40q is %q's, %v", bad, got.User, err)
		}
	}
	for _, name := range []string{"", "  ", strings.Repeat("x", 101)} {
		if _, err := w.NewToken(t.Context(), u, name, "", time.Time{}); !fault.Is(err, fault.Invalid) {
			t.Errorf("a token named %q gives %v", name, err)
		}
	}
}

// TestTokensAreNotReadForEachRequest holds C-3 and C-35: a polling client costs a read a minute. C-34: a token is
// hashed fast. K-4, K-7
func TestTokensAreNotReadForEachRequest(t *testing.T) {
	t.Parallel()
	w := newWorld()
	token, err := w.NewToken(t.Context(), w.user(t, "anna@example.org", ""), "phone", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	reads := func() float64 { return w.store.Table().Meter().Snapshot().Reads["token"] }
	made := reads()
	for range 100 {
		if _, err := w.Bearer(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	first := reads()
	w.clk.Add(cacheLife)
	if _, err := w.Bearer(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if second := reads() - first; first-made != second || second == 0 {
		t.Errorf("a hundred requests read %v units, one a minute later %v", first, second)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "read write admin", "read": "read", "write,read": "read write", "admin": "admin", "metrics": "metrics",
		"read metrics": "!", "owner": "!", "READ": "!", " , ": "read write admin",
	} {
		s, err := ParseScopes(text)
		if got := strings.Join(s.Names(), " "); err == nil && got != want || (want == "!") != (err != nil) {
			t.Errorf("%q opens %q, %v", text, got, err)
		}
	}
}

// C-34: tokens are kept by hash, listed without their secret, and end when they are told to or when their time is up.
func TestTokensEnd(t *testing.T) {
	t.Parallel()
	w := newWorld()
	far := New(w.store.Accounts, w.clk, Options{})
	u, other := w.user(t, "anna@example.org", ""), w.user(t, "berta@example.org", "")
	short, err := w.NewToken(t.Context(), u, "short", "read", start.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	long, err := w.NewToken(t.Context(), u, "long", "write", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string, s *Service, token string, want bool) {
		t.Helper()
		if _, err := s.Bearer(t.Context(), token); (err == nil) != want {
			t.Errorf("%s: %v", when, err)
		}
	}
	check("short", w.Service, short, true)
	check("long", w.Service, long, true)
	check("long elsewhere", far, long, true)
	list, err := w.Tokens(t.Context(), u)
	if err != nil || len(list) != 2 || list[0].Used != 0 && list[0].Used != start.Unix() ||
		strings.Contains(list[0].ID+list[1].ID, TokenPrefix) {
		t.Fatalf("the list is %+v, %v", list, err)
	}
	if err := w.EndToken(t.Context(), other, store.TokenID(long)); !fault.Is(err, fault.NotFound) {
		t.Errorf("somebody else ends it: %v", err)
	}
	if err := w.EndToken(t.Context(), u, store.TokenID(long)); err != nil {
		t.Fatal(err)
	}
	check("ended", w.Service, long, false)
	w.clk.Add(time.Minute)
	check("ended a minute ago elsewhere", far, long, false)
	w.clk.Set(start.Add(time.Hour - 10*time.Second))
	check("a moment before its end", w.Service, short, true)
	w.clk.Set(start.Add(time.Hour))
	check("past its end, while it is remembered", w.Service, short, false)
	check("past its end", far, short, false)
	if list, err := w.Tokens(t.Context(), u); err != nil || len(list) != 2 || !list[0].IsDead(w.clk.Now()) ||
		!list[1].IsDead(w.clk.Now()) {
		t.Errorf("%+v are listed, %v", list, err)
	}
	w.clk.Add(store.DeadTokenDays * 24 * time.Hour)
	if list, err := w.Tokens(t.Context(), u); err != nil || len(list) != 0 {
		t.Errorf("after ninety days %d are listed, %v", len(list), err)
	}
	w.clk.Set(start.Add(time.Hour))
	if _, err := w.NewToken(t.Context(), u, "late", "", start); fault.CodeOf(err) != "bad_token_expiry" {
		t.Errorf("one that has ended already: %v", err)
	}
}

// H-17
func TestTokenLimitAndPrefix(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.TestTokens = true
	u := w.user(t, "anna@example.org", "")
	for range maxTokens {
		token, err := w.NewToken(t.Context(), u, "x", "", time.Time{})
		if err != nil || !strings.HasPrefix(token, TestTokenPrefix) || !IsToken(token) {
			t.Fatalf("%q, %v", token, err)
		}
	}
	if _, err := w.NewToken(t.Context(), u, "x", "", time.Time{}); fault.CodeOf(err) != "token_limit" {
		t.Errorf("one more: %v", err)
	}
}

// TestConcurrentTokensKeepTheLimit: of many that are made at the same moment none passes it.
func TestConcurrentTokensKeepTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "")
	for range maxTokens - 3 {
		if _, err := w.NewToken(t.Context(), u, "x", "", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	begin := make(chan struct{})
	for range 20 {
		wait.Go(func() {
			<-begin
			if token, err := w.NewToken(t.Context(), u, "x", "", time.Time{}); err != nil &&
				(fault.CodeOf(err) != "token_limit" || token != "") {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
	close(begin)
	wait.Wait()
	if list, err := w.Tokens(t.Context(), u); err != nil || len(list) > maxTokens {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}

// TestTokenUseIsRecordedHourly: one write an hour, and it says when.
// H-18
func TestTokenUseIsRecordedHourly(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "")
	token, err := w.NewToken(t.Context(), u, "x", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	writes := func() float64 { return w.store.Table().Meter().Snapshot().Writes["token"] }
	before := writes()
	for range 3 * 60 {
		if _, err := w.Bearer(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		w.clk.Add(time.Minute)
	}
	if n := writes() - before; n != 3 {
		t.Errorf("three hours of use cost %v writes", n)
	}
	list, err := w.Tokens(t.Context(), u)
	if err != nil || list[0].Used != start.Add(2*time.Hour).Unix() {
		t.Errorf("last used %+v, %v", list[0], err)
	}
}

// H-14, H-18: a revoked token grants nothing and stays listed with who created it; an end date is kept beside it.
func TestRevokedTokensStayListed(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.Policy.Addresses = true
	u := w.user(t, "anna@example.org", "a long password")
	end := start.Add(48 * time.Hour)
	secret, err := w.CreateToken(t.Context(), u, TokenRequest{
		Name: "ticker", Description: " for the screen\nin the hall ", Scope: "read", Until: end,
		Agent: "Mozilla/5.0 (X11; Linux) Firefox/140.0", Referrer: "https://reader.example/settings/tokens?key=x",
		Address: "192.0.2.77",
	})
	if err != nil {
		t.Fatal(err)
	}
	revoke := func() error { return w.EndToken(t.Context(), u, store.TokenID(secret)) }
	w.clk.Set(start.Add(time.Hour))
	if err := revoke(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Bearer(t.Context(), secret); fault.CodeOf(err) != "token_revoked" {
		t.Errorf("it is answered %v", err)
	}
	w.clk.Set(start.Add(2 * time.Hour))
	if _, err := w.Bearer(t.Context(), secret); fault.CodeOf(err) != "token_revoked" {
		t.Errorf("read again, it is answered %v", err)
	}
	if err := revoke(); !fault.Is(err, fault.NotFound) {
		t.Errorf("revoked again: %v", err)
	}
	list, err := w.Tokens(t.Context(), u)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	row := list[0]
	if row.Revoked != start.Add(time.Hour).Unix() || row.Ends != end.Unix() ||
		row.TTL != end.AddDate(0, 0, store.DeadTokenDays).Unix() ||
		row.Description != "for the screen\nin the hall" || row.By != "Firefox on Linux" ||
		row.Referrer != "https://reader.example/settings/tokens" || row.Network != "192.0.2.0/24" {
		t.Errorf("%+v", row)
	}
	if _, err := w.CreateToken(t.Context(), u,
		TokenRequest{Name: "x", Description: strings.Repeat("あ", 501)}); fault.CodeOf(err) != "bad_token_description" {
		t.Errorf("a long description: %v", err)
	}
}

// The limit counts what works; of the others the oldest go.
func TestRevokedTokensDoNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "a long password")
	for range maxTokens + maxDeadTokens + 5 {
		secret, err := w.NewToken(t.Context(), u, "t", "read", time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.EndToken(t.Context(), u, store.TokenID(secret)); err != nil {
			t.Fatal(err)
		}
		w.clk.Add(time.Second)
	}
	if list, err := w.Tokens(t.Context(), u); err != nil || len(list) > maxDeadTokens+1 {
		t.Errorf("%d are listed, %v", len(list), err)
	}
}
