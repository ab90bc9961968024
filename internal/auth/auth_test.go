package auth

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

var start = time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)

// world is a service over a memory table, with the store below it for looking.
type world struct {
	*Service
	store *store.Store
	clk   *clock.Manual
}

func newWorld() *world {
	clk := clock.NewManual(start)
	st := store.New(table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind}), clk)
	return &world{New(st.Accounts, clk, Options{}), st, clk}
}

func (w *world) user(t *testing.T, email, password string) reader.UserID {
	t.Helper()
	u, err := w.AddUser(t.Context(), email, password, false)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestOneSecretForAllInstances starts several services over one table at once.
func TestOneSecretForAllInstances(t *testing.T) {
	t.Parallel()
	w := newWorld()
	values := make([]string, 8)
	var wg sync.WaitGroup
	for i := range values {
		wg.Go(func() {
			values[i], _, _ = New(w.store.Accounts, w.clk, Options{}).NewSession(context.Background(), "anna")
		})
	}
	wg.Wait()
	for i, v := range values {
		if got, err := w.Session(t.Context(), v); err != nil || got.User != "anna" {
			t.Errorf("session %d is not known: %v", i, err)
		}
	}
}

func TestLinksWorkOnceAndForATime(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "")
	link := func() string {
		s, err := w.NewLink(t.Context(), u, LinkLife)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	once := link()
	if a, err := w.SpendLink(t.Context(), once); err != nil || a.ID() != u {
		t.Fatalf("the link leads to %v, %v", a, err)
	}
	late := link()
	for name, secret := range map[string]string{"a spent one": once, "nonsense": "nonsense", "nothing": ""} {
		if _, err := w.SpendLink(t.Context(), secret); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	w.clk.Add(LinkLife)
	if _, err := w.SpendLink(t.Context(), late); !fault.Is(err, fault.NotFound) {
		t.Errorf("an expired one gives %v", err)
	}
	logged, err := w.NewLink(t.Context(), u, LoggedLinkLife)
	if err != nil {
		t.Fatal(err)
	}
	w.clk.Add(15*time.Minute - time.Second)
	if _, err := w.CheckLink(t.Context(), logged); err != nil {
		t.Errorf("one of a journal is too old after less than 15 minutes: %v", err)
	}
	w.clk.Add(time.Second)
	if _, err := w.CheckLink(t.Context(), logged); !fault.Is(err, fault.NotFound) {
		t.Errorf("one of a journal still holds after 15 minutes: %v", err)
	}
	// A new one ends the one before, also where the one before was already looked at; another user's stays.
	b := w.user(t, "ben@example.org", "")
	bens, err := w.NewLink(t.Context(), b, LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	older, newer := link(), link()
	if _, err := w.SpendLink(t.Context(), older); !fault.Is(err, fault.NotFound) {
		t.Errorf("an earlier one gives %v", err)
	}
	if _, err := w.SpendLink(t.Context(), newer); err != nil {
		t.Errorf("the newest gives %v", err)
	}
	if _, err := w.SpendLink(t.Context(), older); !fault.Is(err, fault.NotFound) {
		t.Errorf("an earlier one gives %v after the newest was used", err)
	}
	_, secret, _ := strings.Cut(newer, ".")
	if _, err := w.SpendLink(t.Context(), string(b)+"."+secret); !fault.Is(err, fault.NotFound) {
		t.Errorf("one user's secret opens another's account: %v", err)
	}
	if _, err := w.SpendLink(t.Context(), bens); err != nil {
		t.Errorf("another user's gives %v", err)
	}
	raced := link()
	won := make([]bool, 8)
	var wg sync.WaitGroup
	for i := range won {
		wg.Go(func() { _, err := w.SpendLink(context.Background(), raced); won[i] = err == nil })
	}
	wg.Wait()
	n := 0
	for _, ok := range won {
		if ok {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of 8 that raced for one link got in", n)
	}
}

// The start of the program prints a link only as long as nobody can sign in as the owner.
func TestWhoCanSignIn(t *testing.T) {
	t.Parallel()
	can := func(w *world) bool {
		a, err := w.EnsureOwner(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ok, err := w.CanSignIn(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	for name, give := range map[string]func(w *world, u reader.UserID) error{
		"a password": func(w *world, u reader.UserID) error {
			return w.store.Accounts.SetPassword(t.Context(), u, "argon2id$x")
		},
		"a passkey": func(w *world, u reader.UserID) error {
			_, err := w.store.Accounts.AddPasskey(t.Context(), u,
				store.PasskeyRow{CredentialID: []byte("x"), PublicKey: []byte("y"), Name: "key"})
			return err
		},
		"a session": func(w *world, u reader.UserID) error {
			_, _, err := w.NewSession(t.Context(), u)
			return err
		},
	} {
		w := newWorld()
		if can(w) {
			t.Fatalf("%s: nobody has given the owner a way in yet", name)
		}
		if _, err := w.NewLink(t.Context(), w.owner(t), LinkLife); err != nil || can(w) {
			t.Errorf("%s: a link that is out is no way in: %v", name, err)
		}
		if err := give(w, w.owner(t)); err != nil || !can(w) {
			t.Errorf("%s is no way in: %v", name, err)
		}
	}
	w := newWorld()
	if _, _, err := w.NewSession(t.Context(), w.owner(t)); err != nil {
		t.Fatal(err)
	}
	if w.clk.Add(SessionIdle + 3*time.Hour); can(w) {
		t.Error("a session that is over is a way in")
	}
}

func (w *world) owner(t *testing.T) reader.UserID {
	t.Helper()
	a, err := w.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a.ID()
}

// TestAccountsThatAreGone: a session outlives its account, and then nobody is signed in.
func TestAccountsThatAreGone(t *testing.T) {
	t.Parallel()
	if _, err := newWorld().Account(t.Context(), "nobody"); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("an account that is gone gives %v", err)
	}
}

func TestEmailAddresses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" Anna@Example.ORG ": "anna@example.org", "ä@例え.jp": "ä@例え.jp", "": "", "@x": "", "x@": "", "x": "",
		"a b@c": "", "a\n@c": "", "a#b@c": "", strings.Repeat("a", 250) + "@b.cd": "",
	} {
		got, err := NormaliseEmail(in)
		if got != want && err == nil || (want == "") != (err != nil) {
			t.Errorf("%.20q becomes %q, %v", in, got, err)
		}
	}
}

// R-114, G-70
func TestOneAddressIsOneUser(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.user(t, "anna@example.org", "")
	if _, err := w.AddUser(t.Context(), "ANNA@example.org", "", false); !fault.Is(err, fault.Conflict) {
		t.Errorf("the second gives %v", err)
	}
}

func TestOwnerIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	ids := make([]reader.UserID, 8)
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			var a *store.Account
			if a, errs[i] = New(w.store.Accounts, w.clk, Options{}).EnsureOwner(context.Background()); errs[i] == nil {
				ids[i] = a.ID()
			}
		})
	}
	wg.Wait()
	for i := range ids {
		if errs[i] != nil || ids[i] != ids[0] {
			t.Errorf("start %d got %q, %v; the first got %q", i, ids[i], errs[i], ids[0])
		}
	}
}

// TestIncompleteOwnerIsRepaired: a crash came after the address was claimed.
func TestIncompleteOwnerIsRepaired(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u, err := w.AddUser(t.Context(), ownerEmail, "", true)
	if err != nil {
		t.Fatal(err)
	}
	a, err := w.EnsureOwner(t.Context())
	if err != nil || a.ID() != u || !a.Owner {
		t.Fatalf("the owner is %+v, %v", a, err)
	}
}

// A password that is changed between its check and the session that it begins opens nothing.
func TestPasswordChangedDuringLogin(t *testing.T) {
	t.Parallel()
	w := newWorld()
	u := w.user(t, "anna@example.org", "correct horse")
	a, err := w.Login(t.Context(), "anna@example.org", "correct horse", "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetPassword(t.Context(), Session{ID: "other", User: u},
		PasswordChange{Current: "correct horse", New: "battery staple"}, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.StartSession(t.Context(), u, Start{Method: "password", Password: a.Password}); fault.CodeOf(
		err) != "wrong_login" {
		t.Errorf("the old one begins a session: %v", err)
	}
	if list, err := w.Sessions(t.Context(), u); err != nil || len(list) != 0 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
}

func TestLoginErrorsAreEqual(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.user(t, "anna@example.org", "correct horse")
	w.user(t, "link@example.org", "")
	a, err := w.Login(t.Context(), "Anna@example.org", "correct horse", "192.0.2.1")
	if err != nil || a.Email != "anna@example.org" {
		t.Fatalf("the right password gives %v, %v", a, err)
	}
	var words []string
	for _, c := range [][2]string{
		{"anna@example.org", "wrong"}, {"nobody@example.org", "correct horse"}, {"link@example.org", ""},
		{"link@example.org", "correct horse"}, {"no address", "x"}, {"anna@example.org", strings.Repeat("x", 5000)},
	} {
		before := w.store.Table().Meter().Snapshot().ReadOps
		_, err := w.Login(t.Context(), c[0], c[1], "192.0.2.2")
		if n := w.store.Table().Meter().Snapshot().ReadOps - before; n != 3 && c[0] != "no address" {
			t.Errorf("%v is answered after %d reads", c, n)
		}
		if !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%v gives %v", c, err)
			continue
		}
		words = append(words, err.Error())
	}
	for _, s := range words {
		if s != words[0] {
			t.Errorf("answers differ: %q and %q", s, words[0])
		}
	}
}

func TestLoginStopsWaitingWhenCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.user(t, "anna@example.org", "correct horse")
	for range maxHashing {
		w.hashing <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Login(ctx, "anna@example.org", "correct horse", "192.0.2.1"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that went away gets %v", err)
	}
}
