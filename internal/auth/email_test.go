package auth

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// G-70, R-114: the owner's made-up address, or anybody's, gives way to another one; the old one is free then.
func TestChangingTheAddress(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld()
	anna := w.user(t, "anna@example.org", "correct horse")
	w.user(t, "ben@example.org", "battery staple")
	token, _, err := w.NewSession(ctx, anna)
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.Session(ctx, token)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ current, email, code string }{
		"no address":         {"", "nobody", "bad_email"},
		"somebody's":         {"", "Ben@example.org", "email_taken"},
		"a wrong password":   {"wrong", "c@example.org", "wrong_password"},
		"her own, as it was": {"", "anna@example.org", ""},
	} {
		if _, err := w.SetEmail(ctx, v, c.current, c.email, "192.0.2.1"); (err == nil) != (c.code == "") ||
			err != nil && fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	late := v
	late.SignIn = w.clk.Now().Add(-Freshly * 2)
	if _, err := w.SetEmail(ctx, late, "", "c@example.org", "192.0.2.1"); fault.CodeOf(err) != "sign_in_again" {
		t.Errorf("long after signing in: %v", err)
	}
	a, err := w.SetEmail(ctx, late, "correct horse", "Anna@New.example", "192.0.2.1")
	if err != nil || a.Email != "anna@new.example" || a.Other != "" {
		t.Fatalf("changed to %+v, %v", a, err)
	}
	if a, err := w.Login(ctx, "anna@new.example", "correct horse", "192.0.2.1"); err != nil || a.ID() != anna {
		t.Errorf("the new one: %v", err)
	}
	if _, err := w.Login(ctx, "anna@example.org", "correct horse", "192.0.2.1"); fault.CodeOf(err) != "wrong_login" {
		t.Errorf("the old one: %v", err)
	}
	w.user(t, "anna@example.org", "somebody else's")
}

// A change of address that dies at any step goes on when it is asked again, gives way to another one, and ends with
// the account: no address is lost, none leads to two.
func TestChangeOfAddressSurvivesCrashes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	free := func(t *testing.T, s *Service, email string) {
		t.Helper()
		if _, err := s.AddUser(ctx, email, "", false); err != nil {
			t.Errorf("%s is not free: %v", email, err)
		}
	}
	for name, then := range map[string]func(*testing.T, *Service, reader.UserID){
		"again": func(t *testing.T, s *Service, u reader.UserID) {
			t.Helper()
			if a, err := s.ChangeEmail(ctx, u, "new@example.org"); err != nil || a.Email != "new@example.org" ||
				a.Other != "" {
				t.Errorf("again: %+v, %v", a, err)
			}
			free(t, s, "old@example.org")
		},
		"another": func(t *testing.T, s *Service, u reader.UserID) {
			t.Helper()
			if a, err := s.ChangeEmail(ctx, u, "third@example.org"); err != nil || a.Email != "third@example.org" ||
				a.Other != "" {
				t.Errorf("another: %+v, %v", a, err)
			}
			free(t, s, "old@example.org")
			free(t, s, "new@example.org")
		},
		"back": func(t *testing.T, s *Service, u reader.UserID) {
			t.Helper()
			if a, err := s.ChangeEmail(ctx, u, "old@example.org"); err != nil || a.Email != "old@example.org" ||
				a.Other != "" {
				t.Errorf("back: %+v, %v", a, err)
			}
			free(t, s, "new@example.org")
		},
		"removed": func(t *testing.T, s *Service, u reader.UserID) {
			t.Helper()
			if err := s.accounts.RemoveAccount(ctx, u); err != nil {
				t.Error(err)
			}
			free(t, s, "old@example.org")
			free(t, s, "new@example.org")
		},
	} {
		for _, after := range []bool{false, true} {
			for n := 1; ; n++ {
				calls, failed := 0, false
				fails := func(late bool) func(faultytable.Op) error {
					return func(faultytable.Op) error {
						if late != after {
							return nil
						}
						if calls++; calls == n {
							failed = true
							return fault.New(fault.Internal, "test_fault", "test", nil)
						}
						return nil
					}
				}
				mem, clk := memtable.New(), clock.NewManual(start)
				s := New(store.New(table.New(mem, table.Options{Clock: clk, Kind: store.Kind}), clk).Accounts,
					clk, Options{})
				u, err := s.AddUser(ctx, "old@example.org", "", false)
				if err != nil {
					t.Fatal(err)
				}
				d := faultytable.New(mem, faultytable.Options{Before: fails(false), After: fails(true)})
				dying := New(store.New(table.New(d, table.Options{Clock: clk, Kind: store.Kind}), clk).Accounts,
					clk, Options{})
				_, err = dying.ChangeEmail(ctx, u, "new@example.org")
				if !failed {
					break
				}
				if err == nil {
					t.Errorf("%s: the fault at call %d was not noticed", name, n)
				}
				found := 0
				for _, email := range []string{"old@example.org", "new@example.org"} {
					if a, err := s.ByEmail(ctx, email); err == nil && a.ID() == u {
						found++
					}
				}
				if found == 0 {
					t.Errorf("%s: after a fault at call %d nothing leads to the account", name, n)
				}
				then(t, s, u)
			}
		}
	}
}

// Who takes the address that an owner has left does not become the owner when there is none.
func TestFirstAddressDoesNotMakeAnOwner(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld()
	owner, err := w.EnsureOwner(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.ChangeEmail(ctx, owner.ID(), "anna@example.org"); err != nil {
		t.Fatal(err)
	}
	taker := w.user(t, ownerEmail, "correct horse")
	if err := w.accounts.RemoveAccount(ctx, owner.ID()); err != nil {
		t.Fatal(err)
	}
	next, err := w.EnsureOwner(ctx)
	if err != nil || next.ID() == taker || !next.Owner {
		t.Errorf("the next owner is %+v, %v", next, err)
	}
	if a, err := w.Account(ctx, taker); err != nil || a.Owner {
		t.Errorf("who took the address: %+v, %v", a, err)
	}
}

// A session that came by a one-time link and is no longer fresh may set the account's first password, and nothing more:
// once there is a credential, a sign-in with it is asked for.
func TestFirstPasswordNeedsNoFreshSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	token, _, err := w.StartSession(t.Context(), w.owner(t), Start{Method: "link"})
	if err != nil {
		t.Fatal(err)
	}
	session, err := w.Session(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	w.clk.Add(Freshly + time.Minute)
	gone := session
	gone.ID = "ended"
	if err := w.SetPassword(t.Context(), gone, PasswordChange{New: "correct horse"}, "192.0.2.1"); err == nil {
		t.Error("a session that has ended sets a password")
	}
	if err := w.SetPassword(t.Context(), session, PasswordChange{New: "correct horse"}, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	if err := w.SetPassword(t.Context(), session, PasswordChange{New: "battery staple"},
		"192.0.2.1"); fault.CodeOf(err) != "sign_in_again" {
		t.Errorf("a second password: %v", err)
	}
	if err := w.Fresh(t.Context(), session); fault.CodeOf(err) != "sign_in_again" {
		t.Errorf("anything else: %v", err)
	}
}
