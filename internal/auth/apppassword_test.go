package auth

import (
	"crypto/md5"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

func (w *world) appPassword(t *testing.T, email string) (password, fever string) {
	t.Helper()
	a, err := w.ByEmail(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	if password, err = w.NewToken(t.Context(), a.ID(), "Reeder", ScopeSync, time.Time{}); err != nil {
		t.Fatal(err)
	}
	return password, fmt.Sprintf("%x", md5.Sum([]byte(email+":"+password)))
}

func (w *world) rows() (n int) {
	w.store.Table().Driver().(*memtable.Driver).Each(func(table.Row) { n++ })
	return n
}

// An app password has no character that clients trip over, works for nothing but other reader apps, and other tokens do
// not work for these.
func TestAppPasswordsAreOfOneScope(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "")
	password, fever := w.appPassword(t, "anna@example.org")
	if !regexp.MustCompile(`^ruri(-[a-hj-km-np-z02-9]{5}){4}$`).MatchString(password) || !IsToken(password) {
		t.Errorf("the app password is %q", password)
	}
	for what, verify := range map[string]func() (Token, error){
		"the password": func() (Token, error) { return w.AppPassword(t.Context(), password, "") },
		"Fever's key":  func() (Token, error) { return w.FeverKey(t.Context(), fever, "") },
		"in capitals":  func() (Token, error) { return w.FeverKey(t.Context(), strings.ToUpper(fever), "") },
		"the login": func() (Token, error) {
			return w.AppLogin(t.Context(), " Anna@Example.ORG ", PlainAppPassword(" "+strings.ToUpper(password)+"\n"),
				"192.0.2.1", "")
		},
	} {
		if got, err := verify(); err != nil || got.User != u || got.Scopes != Sync || got.Email != "anna@example.org" ||
			got.ID != store.TokenID(password) {
			t.Errorf("%s gives %+v, %v", what, got, err)
		}
	}
	if _, err := w.Bearer(t.Context(), password); fault.CodeOf(err) != "wrong_scope" {
		t.Errorf("our own API: %v", err)
	}
	if err := w.BearerOf(t.Context(), password, Metrics); fault.CodeOf(err) != "wrong_scope" {
		t.Errorf("metrics: %v", err)
	}
	for _, scope := range []string{ScopeAll, "read write", ScopeMetrics} {
		other, err := w.NewToken(t.Context(), u, "script", scope, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.AppPassword(t.Context(), other, ""); fault.CodeOf(err) != "wrong_scope" {
			t.Errorf("a token of %q: %v", scope, err)
		}
		if _, err := w.AppLogin(t.Context(), "anna@example.org", other, "192.0.2.1", ""); !fault.Is(err,
			fault.Unauthenticated) {
			t.Errorf("signing in with a token of %q: %v", scope, err)
		}
		if _, err := w.FeverKey(t.Context(), fmt.Sprintf("%x", md5.Sum([]byte("anna@example.org:"+other))),
			""); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("Fever's key of a token of %q: %v", scope, err)
		}
	}
	for _, key := range []string{"", "x", fever[1:], fever + "0", strings.Repeat("g", 32), strings.Repeat("0", 9000)} {
		if _, err := w.FeverKey(t.Context(), key, ""); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("Fever's key %.40q: %v", key, err)
		}
	}
	if _, err := w.NewToken(t.Context(), u, "x", "sync read", time.Time{}); fault.CodeOf(err) != "bad_scope" {
		t.Errorf("together with another scope: %v", err)
	}
}

// After a change of the account's address, apps go on as they were set up, and can be set up with the new one.
func TestAppPasswordsOutliveAnAddress(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "")
	other := w.user(t, "berta@example.org", "")
	password, fever := w.appPassword(t, "anna@example.org")
	if _, err := w.ChangeEmail(t.Context(), u, "new@example.org"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ChangeEmail(t.Context(), other, "anna@example.org"); err != nil { // somebody else takes the address
		t.Fatal(err)
	}
	for email, want := range map[string]bool{"anna@example.org": true, "new@example.org": true,
		"berta@example.org": false, "": false} {
		if got, err := w.AppLogin(t.Context(), email, password, "192.0.2.1", ""); (err == nil) != want || want &&
			got.User != u {
			t.Errorf("with %q: %v, %v", email, got.User, err)
		}
	}
	if got, err := w.FeverKey(t.Context(), fever, ""); err != nil || got.User != u {
		t.Errorf("Fever's key: %v, %v", got.User, err)
	}
}

// A revoked app password ends at once in its process and within a minute in others, in every dialect, and leaves no
// row.
func TestAppPasswordsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld()
	far := New(w.store.Accounts, w.clk, Options{})
	u := w.user(t, "anna@example.org", "")
	kept, _ := w.appPassword(t, "anna@example.org")
	rows := w.rows()
	password, fever := w.appPassword(t, "anna@example.org")
	check := func(when string, s *Service, want bool) {
		t.Helper()
		_, bearer := s.AppPassword(t.Context(), password, "")
		_, key := s.FeverKey(t.Context(), fever, "")
		_, login := s.AppLogin(t.Context(), "anna@example.org", password, "192.0.2.1", "")
		for what, err := range map[string]error{"bearer": bearer, "Fever": key, "login": login} {
			if (err == nil) != want || !want && !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%s, %s: %v", when, what, err)
			}
		}
		if s.Knows(t.Context(), password) != want || s.KnowsFever(fever) != want {
			t.Errorf("%s: known as valid: %v, %v", when, s.Knows(t.Context(), password), s.KnowsFever(fever))
		}
	}
	check("before", w.Service, true)
	check("before, elsewhere", far, true)
	if err := w.EndToken(t.Context(), u, store.TokenID(password)); err != nil {
		t.Fatal(err)
	}
	check("after", w.Service, false)
	w.clk.Add(time.Minute)
	check("a minute later elsewhere", far, false)
	if n := w.rows(); n != rows+2 {
		t.Errorf("%d rows are left of %d: the list alone keeps it", n, rows)
	}
	if _, err := w.AppPassword(t.Context(), kept, ""); err != nil {
		t.Errorf("another one: %v", err)
	}
}

// Wrong passwords are slowed down without a write, and do not lock out the right one, of which a hundred logins count
// nothing.
func TestWrongAppPasswordsWait(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.user(t, "anna@example.org", "correct horse")
	password, _ := w.appPassword(t, "anna@example.org")
	login := func(password string) error {
		_, err := w.AppLogin(t.Context(), "anna@example.org", password, "192.0.2.1", "")
		return err
	}
	if err := login(password); err != nil {
		t.Fatal(err)
	}
	before := w.store.Table().Meter().Snapshot().TotalWrites()
	for range 100 {
		if err := login(password); err != nil {
			t.Fatal(err)
		}
	}
	for i, wrong := range []string{"", "correct horse", password + "x", newAppPassword(), newAppPassword()} {
		if err := login(wrong); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%d wrong ones before: %v", i, err)
		}
	}
	var many *TooManyError
	if err := login(newAppPassword()); !errors.As(err, &many) || many.RetryAfter <= 0 {
		t.Errorf("after five wrong ones: %v", err)
	}
	if err := login(password); err != nil {
		t.Errorf("the right one meanwhile: %v", err)
	}
	w.clk.Add(many.RetryAfter)
	if err := login(newAppPassword()); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("after the wait: %v", err)
	}
	if n := w.store.Table().Meter().Snapshot().TotalWrites() - before; n != 0 {
		t.Errorf("%v write units", n)
	}
}

// The list of tokens says which app used a password, at most an hour ago.
func TestAppPasswordsSayWhoUsedThem(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "")
	password, fever := w.appPassword(t, "anna@example.org")
	used := func() *store.TokenRow {
		list, err := w.Tokens(t.Context(), u)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0]
	}
	for _, c := range []struct {
		agent, want string
		after       time.Duration
	}{
		{"NetNewsWire (RSS Reader; https://netnewswire.com/)", "NetNewsWire", 0},
		{"Reeder/5.4 CFNetwork/1410", "NetNewsWire", 10 * time.Minute},
		{"newsboat/2.44.0 (Linux; x86_64)", "newsboat", time.Hour},
		{"", "newsboat", time.Hour},
		{"Reeder/5.4 CFNetwork/1410", "Reeder", time.Hour},
	} {
		w.clk.Add(c.after)
		if _, err := w.AppPassword(t.Context(), password, c.agent); err != nil {
			t.Fatal(err)
		}
		if got := used(); got.Agent != c.want {
			t.Errorf("after %q it is %q, want %q", c.agent, got.Agent, c.want)
		}
	}
	w.clk.Add(time.Hour)
	if _, err := w.FeverKey(t.Context(), fever, "Unread/4"); err != nil {
		t.Fatal(err)
	}
	if got := used(); got.Agent != "Unread" || got.Used != w.clk.Now().Unix() {
		t.Errorf("Fever: %+v", got)
	}
}
