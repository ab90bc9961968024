package auth

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// refusedFor is how long an error asks to wait; 0 when it is no such error.
func refusedFor(err error) time.Duration {
	var many *TooManyError
	if errors.As(err, &many) {
		return many.RetryAfter
	}
	return 0
}

// Tries to sign in are counted for all instances together: who asks one after the other gains nothing.
// C-3
func TestInstancesShareSignInAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.user(t, "anna@example.org", "correct horse")
	here, far := w.Service, New(w.store.Accounts, w.clk, Options{})
	try := func(s *Service, password, from string) error {
		_, err := s.Login(t.Context(), "anna@example.org", password, from)
		return err
	}
	for i := range pairLimit.free {
		if err := try([]*Service{here, far}[i%2], "wrong", "192.0.2.1"); fault.CodeOf(err) != "wrong_login" {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	for name, s := range map[string]*Service{"here": here, "far": far,
		"a new instance": New(w.store.Accounts, w.clk, Options{})} {
		if wait := refusedFor(try(s, "wrong", "192.0.2.1")); wait != time.Second {
			t.Errorf("the next one waits %v %s", wait, name)
		}
	}
	if err := try(far, "correct horse", "198.51.100.1"); err != nil {
		t.Errorf("from another network: %v", err)
	}
	if wait := refusedFor(try(New(w.store.Accounts, w.clk, Options{}), "wrong", "192.0.2.1")); wait != time.Second {
		t.Errorf("after the person has signed in elsewhere, who guesses waits %v", wait)
	}
	w.clk.Add(time.Second)
	if err := try(here, "correct horse", "192.0.2.1"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	for i := range pairLimit.free {
		if err := try(New(w.store.Accounts, w.clk, Options{}), "wrong", "192.0.2.1"); fault.CodeOf(err) !=
			"wrong_login" {
			t.Fatalf("who has signed in has not guessed: try %d: %v", i, err)
		}
	}
	w.clk.Add(forgetAfter + time.Minute)
	if err := try(New(w.store.Accounts, w.clk, Options{}), "wrong", "192.0.2.1"); fault.CodeOf(err) != "wrong_login" {
		t.Errorf("an hour later: %v", err)
	}
}

// The account's own limit holds for tries from everywhere, and its row stays small.
func TestAttemptsFromManyNetworksShareOneRow(t *testing.T) {
	t.Parallel()
	w := newWorld()
	waited := 0
	for i := range 100 {
		_, err := New(w.store.Accounts, w.clk, Options{}).Login(t.Context(), "anna@example.org", "wrong",
			fmt.Sprintf("10.0.%d.1", i))
		if wait := refusedFor(err); wait > accountLimit.longest {
			t.Fatalf("a person would wait %v", wait)
		} else if wait > 0 {
			waited++
			w.clk.Add(wait)
		}
	}
	if waited < 20 {
		t.Errorf("only %d of 100 tries waited", waited)
	}
	row, err := w.store.Accounts.Counter(t.Context(), "sign-in anna@example.org")
	if err != nil || len(row.Tries) != maxNetworks+1 {
		t.Errorf("the row has %d counts, %v", len(row.Tries), err)
	}
}

// C-3: one write for a try, a second one where it works, none for a try that is refused.
func TestCostOfCountingAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.user(t, "anna@example.org", "correct horse")
	writes := func(f func()) float64 {
		before := w.store.Table().Meter().Snapshot().Writes["counter"]
		f()
		return w.store.Table().Meter().Snapshot().Writes["counter"] - before
	}
	login := func(password string) func() {
		return func() { _, _ = w.Login(t.Context(), "anna@example.org", password, "192.0.2.1") }
	}
	if n := writes(login("wrong")); n != 1 {
		t.Errorf("a wrong password costs %v writes", n)
	}
	if n := writes(login("correct horse")); n != 2 {
		t.Errorf("the right one costs %v writes", n)
	}
	for range pairLimit.free {
		login("wrong")()
	}
	if n := writes(login("wrong")); n != 0 {
		t.Errorf("a refused one costs %v writes", n)
	}
}

// C-3, G-39: ten registrations a minute, ten of them at once, for all instances together; accounts by network.
func TestInstancesShareTheRegistrations(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range registrations {
		if err := New(w.store.Accounts, w.clk, Options{}).CountRegistration(t.Context(), "anna"); err != nil {
			t.Fatalf("registration %d: %v", i, err)
		}
	}
	if wait := refusedFor(New(w.store.Accounts, w.clk, Options{}).CountRegistration(t.Context(), "anna")); wait !=
		registrationPause {
		t.Errorf("the next one waits %v", wait)
	}
	if err := w.CountRegistration(t.Context(), "ben"); err != nil {
		t.Errorf("somebody else's: %v", err)
	}
	w.clk.Add(registrationPause)
	if err := w.CountRegistration(t.Context(), "anna"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	w.clk.Add(-24 * time.Hour)
	if wait := refusedFor(w.CountRegistration(t.Context(), "anna")); wait > registrationPause {
		t.Errorf("a clock that went back makes it wait %v", wait)
	}
	if err := w.SetSignUp(t.Context(), SignUpOpen); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range 2 * registrations {
		_, err := New(w.store.Accounts, w.clk, Options{}).SignUpByPassword(t.Context(),
			fmt.Sprintf("u%d@example.org", i), "correct horse", "", fmt.Sprintf("203.0.113.%d", i))
		if refusedFor(err) > 0 {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if refused != registrations {
		t.Errorf("%d of %d accounts of one network were refused", refused, 2*registrations)
	}
}
