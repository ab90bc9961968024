package api_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/auth/oidc"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/authenticator"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/testkit/issuer"
)

const readerAt = "https://reader.example"

// entrance is a world with ways in: a provider that can lie, and an address with a name.
type entrance struct {
	*world
	issuer *issuer.Issuer
}

func newEntrance(t *testing.T, change ...func(*api.Options)) *entrance {
	t.Helper()
	w := newWorld(t)
	e := &entrance{world: w, issuer: issuer.New(t, w.clock)}
	guarded := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(guarded.Close)
	provider := func(id, name string) auth.Provider {
		return auth.Provider{ID: id, Name: name, Provider: oidc.New(oidc.Config{
			Issuer: e.issuer.URL, ClientID: "client", HTTP: guarded.Guarded(10*time.Second, 64<<10), Clock: w.clock,
			Secret: func(context.Context) (string, error) { return "secret", nil },
		})}
	}
	w.auth.Providers = []auth.Provider{provider("google", "Google"), provider("oidc", "House")}
	w.options.BaseURL = readerAt
	for _, f := range change {
		f(&w.options)
	}
	w.handler = api.New(w.options)
	return e
}

// browser is one person's, with its cookies.
type browser struct {
	*entrance
	cookies map[string]string
	site    string // Sec-Fetch-Site of what it asks
}

func (e *entrance) browser() *browser { return &browser{e, map[string]string{}, "same-origin"} }

// as is a browser in which a user signed in a moment ago.
func (e *entrance) as(email string) *browser {
	e.t.Helper()
	a, err := e.auth.ByEmail(e.t.Context(), email)
	if err != nil {
		e.t.Fatal(err)
	}
	session, _, err := e.auth.NewSession(e.t.Context(), a.ID())
	if err != nil {
		e.t.Fatal(err)
	}
	b := e.browser()
	b.cookies["ruri"] = session
	return b
}

func (b *browser) ask(method, path string, body any) *httptest.ResponseRecorder {
	b.t.Helper()
	var src bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&src).Encode(body); err != nil {
			b.t.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, path, &src)
	r.Header.Set("Sec-Fetch-Site", b.site)
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	rec := httptest.NewRecorder()
	b.handler.ServeHTTP(rec, r)
	for _, c := range rec.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}
	return rec
}

func (b *browser) get(path string, into any) int {
	b.t.Helper()
	rec := b.ask("GET", path, nil)
	if into != nil && rec.Code == 200 {
		if err := json.Unmarshal(rec.Body.Bytes(), into); err != nil {
			b.t.Fatal(err)
		}
	}
	return rec.Code
}

// leads asks for a path that leads on, and gives where to.
func (b *browser) leads(path string) string {
	b.t.Helper()
	rec := b.ask("GET", path, nil)
	if rec.Code != http.StatusSeeOther {
		b.t.Fatalf("GET %.80s answers %d: %s", path, rec.Code, rec.Body)
	}
	return rec.Header().Get("Location")
}

// abroad goes to the provider, which says yes at once, and gives the path that it sends back to.
func (b *browser) abroad(path string) string {
	b.t.Helper()
	to := b.leads(path)
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(to)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		b.t.Fatalf("%s answers %d", to, resp.StatusCode)
	}
	if !strings.HasPrefix(back.String(), readerAt+"/auth/") {
		b.t.Fatalf("the provider leads to %s", back)
	}
	return strings.TrimPrefix(back.String(), readerAt)
}

// through signs in by the provider and gives where that ends.
func (b *browser) through(path string) string {
	b.t.Helper()
	return b.leads(b.abroad(path))
}

func (b *browser) me() string {
	var a struct{ User struct{ Email string } }
	if b.get("/api/me", &a) != 200 {
		return ""
	}
	return a.User.Email
}

func (e *entrance) signUp(policy string) {
	e.t.Helper()
	if err := e.auth.SetSignUp(e.t.Context(), policy); err != nil {
		e.t.Fatal(err)
	}
}

// G-5, G-6: the first sign-in makes the user and the identity, the next ones find them.
func TestSignInWithAProvider(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.signUp(auth.SignUpOpen)
	b := e.browser()
	if to := b.through("/auth/google/login?next=/feed/3%3Ff=unread"); to != "/feed/3?f=unread" ||
		b.me() != "anna@example.org" {
		t.Fatalf("it leads to %s, as %q", to, b.me())
	}
	if len(b.cookies) != 1 {
		t.Errorf("the browser keeps %v", b.cookies)
	}
	e.signUp(auth.SignUpClosed)
	e.issuer.Person("1001", "anna@new.example", false) // the same person, by the name that does not change (G-7)
	again := e.browser()
	if to := again.through("/auth/google/login"); to != "/" || again.me() != "anna@example.org" {
		t.Errorf("the second time it leads to %s, as %q", to, again.me())
	}
	var list struct{ Sessions []struct{ Method string } }
	if again.get("/api/sessions", &list); len(list.Sessions) != 2 || list.Sessions[0].Method != "google" {
		t.Errorf("the sessions are %+v", list)
	}
	e.issuer.Person("1002", "berta@example.org", true)
	if to := e.browser().through("/auth/google/login"); to != "/login?e=sign_up_closed" {
		t.Errorf("a stranger comes to %s", to)
	}
}

func TestFailedSignIns(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.signUp(auth.SignUpOpen)
	if _, err := e.auth.AddUser(t.Context(), "carla@example.org", "correct horse", false); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		walk func(b *browser) string
		code string
	}{
		"no ticket": {func(b *browser) string {
			p := b.abroad("/auth/oidc/login")
			clear(b.cookies)
			return p
		}, "sign_in_expired"},
		"a forged ticket": {func(b *browser) string {
			p := b.abroad("/auth/oidc/login")
			b.cookies["ruri-signin"] = "x" + b.cookies["ruri-signin"]
			return p
		}, "sign_in_expired"},
		"another browser's": {func(b *browser) string {
			return e.browser().abroad("/auth/oidc/login")
		}, "sign_in_expired"},
		"another window's": {func(b *browser) string {
			p := b.abroad("/auth/oidc/login")
			b.abroad("/auth/oidc/login")
			return p
		}, "provider_refused"},
		"another provider's callback": {func(b *browser) string {
			return strings.Replace(b.abroad("/auth/oidc/login"), "/oidc/", "/google/", 1)
		}, "sign_in_expired"},
		"a no": {func(b *browser) string {
			u, _ := url.Parse(b.abroad("/auth/oidc/login"))
			return "/auth/oidc/callback?error=access_denied&state=" + u.Query().Get("state")
		}, "provider_denied"},
		"nothing at all": {func(*browser) string { return "/auth/oidc/callback" }, "sign_in_expired"},
		"an address that is not verified": {func(b *browser) string {
			e.issuer.Person("1", "anna@example.org", false)
			return b.abroad("/auth/oidc/login")
		}, "email_unverified"},
		"somebody's address": {func(b *browser) string {
			e.issuer.Person("2", "Carla@example.org", true)
			return b.abroad("/auth/oidc/login")
		}, "email_taken"},
		"another nonce": {func(b *browser) string {
			e.issuer.Person("3", "dora@example.org", true)
			e.issuer.Lie(func(c jwt.MapClaims, _ map[string]any) { c["nonce"] = "x" })
			return b.abroad("/auth/oidc/login")
		}, "provider_refused"},
		"a failing provider": {func(b *browser) string {
			p := b.abroad("/auth/oidc/login")
			e.issuer.Break("/token")
			return p
		}, "provider_unavailable"},
	} {
		b := e.browser()
		to := b.leads(c.walk(b))
		e.issuer.Lie(nil)
		e.issuer.Break("")
		if to != "/login?e="+c.code || b.me() != "" {
			t.Errorf("%s leads to %s, as %q", name, to, b.me())
		}
	}
	// A ticket and a code hold once.
	e.issuer.Person("9", "emma@example.org", true)
	b := e.browser()
	back := b.abroad("/auth/oidc/login")
	kept := b.cookies["ruri-signin"]
	if to := b.leads(back); to != "/" {
		t.Fatalf("it leads to %s", to)
	}
	thief := e.browser()
	thief.cookies["ruri-signin"] = kept
	if to := thief.leads(back); to != "/login?e=sign_in_expired" {
		t.Errorf("what was caught leads to %s", to)
	}
	late := e.browser()
	back = late.abroad("/auth/oidc/login")
	e.clock.Add(auth.TicketLife)
	if to := late.leads(back); to != "/login?e=sign_in_expired" {
		t.Errorf("ten minutes later it leads to %s", to)
	}
	// What only looks ahead begins and ends nothing.
	b = e.browser()
	back = b.abroad("/auth/oidc/login")
	for _, path := range []string{back, "/auth/oidc/login"} {
		if rec := b.ask("HEAD", path, nil); rec.Code != 204 || len(rec.Result().Cookies()) != 0 {
			t.Errorf("HEAD %s answers %d", path, rec.Code)
		}
	}
	if to := b.leads(back); to != "/" {
		t.Errorf("after looking ahead it leads to %s", to)
	}
}

func TestOnlyOwnPathsAreReturnedTo(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "/", "/": "/", "/all": "/all", "/feed/3?f=unread#x": "/feed/3?f=unread#x", "//evil.example": "/",
		"/\\evil.example":      "/",
		"https://evil.example": "/", "evil": "/", "/%2f/evil.example": "/", "/\tevil": "/", "/api/me": "/",
		"/auth/google/login": "/", "/login?next=/x": "/",
		"javascript:alert(1)": "/", "/" + strings.Repeat("x", 2000): "/", "/\r\nSet-Cookie: a=b": "/",
	} {
		if got := auth.SamePath(in); got != want {
			t.Errorf("%.40q becomes %q", in, got)
		}
	}
}

func TestCookiesOfSignIns(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, func(o *api.Options) { o.Secure = true })
	rec := e.browser().ask("GET", "/auth/google/login", nil)
	c := rec.Result().Cookies()
	if len(c) != 1 || c[0].Name != "__Host-ruri-signin" || !c[0].Secure || !c[0].HttpOnly || c[0].Path != "/" ||
		c[0].SameSite != http.SameSiteLaxMode || c[0].MaxAge != 600 {
		t.Errorf("the cookies are %+v", c)
	}
	if w := e.spent(func() { e.browser().abroad("/auth/google/login") }); len(w) != 0 {
		t.Errorf("beginning a sign-in writes %v", w)
	}
}

// G-7: several identities per user.
// G-71
func TestLinking(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	for _, email := range []string{"anna@example.org", "berta@example.org"} {
		if _, err := e.auth.AddUser(t.Context(), email, "", false); err != nil {
			t.Fatal(err)
		}
	}
	anna := e.as("anna@example.org")
	e.issuer.Person("a1", "", nil)
	if to := anna.through("/auth/google/login?link=1&next=/settings"); to != "/settings" {
		t.Fatalf("linking leads to %s", to)
	}
	e.issuer.Person("a2", "anna@work.example", true)
	if to := anna.through("/auth/oidc/login?link=1"); to != "/" {
		t.Fatalf("linking a second leads to %s", to)
	}
	if to := anna.through("/auth/oidc/login?link=1"); to != "/" {
		t.Errorf("linking it again leads to %s", to)
	}
	var list struct {
		Identities []struct{ ID, Provider, Email string }
	}
	if anna.get("/api/identities", &list); len(list.Identities) != 2 {
		t.Fatalf("the identities are %+v", list)
	}
	for _, subject := range []string{"a1", "a2"} {
		e.issuer.Person(subject, "else@example.org", true)
		b := e.browser()
		if to := b.through("/auth/oidc/login"); to != "/" || b.me() != "anna@example.org" {
			t.Errorf("%s signs in as %q, %s", subject, b.me(), to)
		}
	}
	// An identity belongs to one.
	berta := e.as("berta@example.org")
	if to := berta.through("/auth/oidc/login?link=1"); to != "/login?e=identity_taken" {
		t.Errorf("linking another's leads to %s", to)
	}
	// Who began must end it, signed in.
	e.issuer.Person("b1", "", nil)
	back := berta.abroad("/auth/oidc/login?link=1")
	berta.cookies["ruri"] = anna.cookies["ruri"]
	if to := berta.leads(back); to != "/login?e=not_signed_in" {
		t.Errorf("another's session ends it: %s", to)
	}
	berta = e.as("berta@example.org")
	back = berta.abroad("/auth/oidc/login?link=1")
	delete(berta.cookies, "ruri")
	if to := berta.leads(back); to != "/login?e=not_signed_in" {
		t.Errorf("nobody ends it: %s", to)
	}
	// Nor may another site begin it, nor a session that was left open.
	berta = e.as("berta@example.org")
	berta.site = "cross-site"
	if to := berta.leads("/auth/oidc/login?link=1"); to != "/login?e=cross_origin" {
		t.Errorf("another site begins it: %s", to)
	}
	berta.site = "same-origin"
	e.clock.Add(auth.Freshly + time.Second)
	if to := berta.leads("/auth/oidc/login?link=1"); to != "/login?e=sign_in_again" {
		t.Errorf("an old session begins it: %s", to)
	}
	if to := e.browser().leads("/auth/oidc/login?link=1"); to != "/login?e=not_signed_in" {
		t.Errorf("nobody begins it: %s", to)
	}
	if rec := e.callAs(e.token, "DELETE", "/api/identities/"+list.Identities[0].ID, nil, nil); rec.StatusCode != 403 {
		t.Errorf("a program unlinks: %d", rec.StatusCode)
	}

	// Unlinking: never the last way in, never another's.
	anna = e.as("anna@example.org")
	berta = e.as("berta@example.org")
	if rec := berta.ask("DELETE", "/api/identities/"+list.Identities[0].ID, nil); rec.Code != 404 {
		t.Errorf("unlinking another's answers %d", rec.Code)
	}
	if rec := anna.ask("DELETE", "/api/identities/"+list.Identities[0].ID, nil); rec.Code != 204 {
		t.Errorf("unlinking one of two answers %d: %s", rec.Code, rec.Body)
	}
	if rec := anna.ask("DELETE", "/api/identities/"+list.Identities[1].ID, nil); rec.Code != 409 ||
		!strings.Contains(rec.Body.String(), "last_way_in") {
		t.Errorf("unlinking the last answers %d: %s", rec.Code, rec.Body)
	}
	if rec := anna.ask("PUT", "/api/users/me/password", map[string]string{"password": "battery staple"}); rec.Code !=
		204 {
		t.Errorf("a first password answers %d: %s", rec.Code, rec.Body)
	}
	if rec := anna.ask("DELETE", "/api/identities/"+list.Identities[1].ID, nil); rec.Code != 204 {
		t.Errorf("unlinking beside a password answers %d: %s", rec.Code, rec.Body)
	}
	for _, subject := range []string{"a1", "a2"} {
		e.issuer.Person(subject, "", nil)
		if to := e.browser().through("/auth/oidc/login"); to != "/login?e=sign_up_closed" {
			t.Errorf("an unlinked identity leads to %s", to)
		}
	}
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	owner := e.as("owner@localhost")
	invite := func() (path, id string) {
		t.Helper()
		rec := owner.ask("POST", "/api/invitations", map[string]string{"note": "for Anna"})
		var a struct {
			Invitation struct{ ID, URL, Note string }
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil || rec.Code != 201 ||
			a.Invitation.Note != "for Anna" {
			t.Fatalf("inviting answers %d: %s", rec.Code, rec.Body)
		}
		return strings.TrimPrefix(a.Invitation.URL, readerAt), a.Invitation.ID
	}
	who := func(email string) map[string]string {
		return map[string]string{"email": email, "password": "correct horse"}
	}
	if rec := e.browser().ask("POST", "/api/auth/signup", who("anna@example.org")); rec.Code != 403 ||
		!strings.Contains(rec.Body.String(), "sign_up_closed") {
		t.Errorf("signing up without one answers %d: %s", rec.Code, rec.Body)
	}
	path, _ := invite()
	anna := e.browser()
	for range 2 { // opening spends nothing
		if to := anna.leads(path); to != "/signup" {
			t.Fatalf("the invitation leads to %s", to)
		}
	}
	var ways struct {
		IsInvited bool
		SignUp    string
		Passkey   bool
		Providers []struct{ ID, Name, URL string }
	}
	if anna.get("/api/auth/methods", &ways); !ways.IsInvited || ways.SignUp != "invitation" || !ways.Passkey ||
		len(ways.Providers) != 2 || ways.Providers[0].URL != "/auth/google/login" {
		t.Errorf("the ways in are %+v", ways)
	}
	// What is wrong with the form does not cost the invitation.
	for _, c := range []map[string]string{{"email": "anna", "password": "correct horse"},
		{"email": "anna@example.org", "password": "short"}, who("owner@localhost")} {
		if rec := anna.ask("POST", "/api/auth/signup", c); rec.Code < 400 || rec.Code >= 500 {
			t.Errorf("%v answers %d", c, rec.Code)
		}
	}
	rec := anna.ask("POST", "/api/auth/signup", who("anna@example.org"))
	if rec.Code != 201 || anna.me() != "anna@example.org" || len(anna.cookies) != 1 {
		t.Fatalf("signing up answers %d: %s; cookies %v", rec.Code, rec.Body, anna.cookies)
	}
	if to := e.browser().leads(path); to != "/login?e=invitation_not_valid" {
		t.Errorf("a spent one leads to %s", to)
	}
	// By a provider too; it holds for one person.
	path, _ = invite()
	e.issuer.Person("b", "berta@example.org", true)
	berta, carla := e.browser(), e.browser()
	berta.leads(path)
	carla.leads(path)
	if to := berta.through("/auth/oidc/login"); to != "/" || berta.me() != "berta@example.org" {
		t.Errorf("signing up by a provider leads to %s, as %q", to, berta.me())
	}
	e.issuer.Person("c", "carla@example.org", true)
	if to := carla.through("/auth/oidc/login"); to != "/login?e=invitation_not_valid" {
		t.Errorf("a second person comes to %s", to)
	}
	// Withdrawn, and old.
	path, id := invite()
	var list struct{ Invitations []struct{ ID, URL string } }
	if owner.get("/api/invitations", &list); len(list.Invitations) != 1 || list.Invitations[0].ID != id ||
		list.Invitations[0].URL != "" {
		t.Errorf("the invitations are %+v", list)
	}
	for _, status := range []int{204, 404} {
		if rec := owner.ask("DELETE", "/api/invitations/"+id, nil); rec.Code != status {
			t.Errorf("withdrawing answers %d, want %d", rec.Code, status)
		}
	}
	if to := e.browser().leads(path); to != "/login?e=invitation_not_valid" {
		t.Errorf("a withdrawn one leads to %s", to)
	}
	path, _ = invite()
	e.clock.Add(auth.InvitationLife)
	if to := e.browser().leads(path); to != "/login?e=invitation_not_valid" {
		t.Errorf("an old one leads to %s", to)
	}
	// Closed means closed, for those too that are out.
	owner = e.as("owner@localhost")
	path, _ = invite()
	if rec := owner.ask("PUT", "/api/site", map[string]string{"signUp": "closed"}); rec.Code != 200 {
		t.Fatalf("closing answers %d: %s", rec.Code, rec.Body)
	}
	if to := e.browser().leads(path); to != "/login?e=sign_up_closed" {
		t.Errorf("an invitation to a closed reader leads to %s", to)
	}
	if rec := owner.ask("PUT", "/api/site", map[string]string{"signUp": "x"}); rec.Code != 400 {
		t.Errorf("another policy answers %d", rec.Code)
	}
	owner.ask("PUT", "/api/site", map[string]string{"signUp": "open"})
	open := e.browser()
	if rec := open.ask("POST", "/api/auth/signup", who("dora@example.org")); rec.Code != 201 {
		t.Errorf("an open reader answers %d: %s", rec.Code, rec.Body)
	}
	// Users are not owners.
	for method, path := range map[string]string{"GET": "/api/invitations", "POST": "/api/invitations",
		"PUT": "/api/site", "DELETE": "/api/invitations/x"} {
		if rec := open.ask(method, path, nil); rec.Code != 403 {
			t.Errorf("%s %s of a user answers %d", method, path, rec.Code)
		}
	}
}

// Sign-ups are throttled as log-ins are.
func TestAccountGuessingIsThrottled(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.signUp(auth.SignUpOpen)
	refused := 0
	for range 20 {
		rec := e.browser().ask("POST", "/api/auth/signup",
			map[string]string{"email": "owner@localhost", "password": "correct horse"})
		switch {
		case rec.Code == 429:
			refused++
		case rec.Code != 409 || !strings.Contains(rec.Body.String(), "sign_up_refused"):
			t.Fatalf("a taken address answers %d: %s", rec.Code, rec.Body)
		}
	}
	if refused < 10 {
		t.Errorf("only %d of 20 tries were slowed down", refused)
	}
}

func TestChangingThePassword(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	u, err := e.auth.AddUser(t.Context(), "anna@example.org", "correct horse", false)
	if err != nil {
		t.Fatal(err)
	}
	here, there := e.as("anna@example.org"), e.as("anna@example.org")
	set := func(b *browser, current, password string) int {
		return b.ask("PUT", "/api/users/me/password", map[string]string{"current": current, "password": password}).Code
	}
	e.clock.Add(auth.Freshly + time.Second)
	for name, c := range map[string]struct {
		current, password string
		status            int
	}{
		"no current one, long after": {"", "battery staple", 403},
		"a wrong one":                {"wrong horse", "battery staple", 403},
		"a short one":                {"correct horse", "short", 400},
	} {
		if got := set(here, c.current, c.password); got != c.status {
			t.Errorf("%s answers %d", name, got)
		}
	}
	if there.me() == "" {
		t.Fatal("a failed change signs out")
	}
	if got := set(here, "correct horse", "battery staple"); got != 204 || here.me() == "" || there.me() != "" {
		t.Errorf("changing answers %d; here %q, there %q", got, here.me(), there.me())
	}
	if got := set(here, "correct horse", "battery staple"); got != 204 {
		t.Errorf("the same again answers %d", got)
	}
	for password, ok := range map[string]bool{"correct horse": false, "battery staple": true} {
		if _, err := e.auth.Login(t.Context(), "anna@example.org", password, "192.0.2.9"); (err == nil) != ok {
			t.Errorf("%q signs in: %v", password, err)
		}
	}
	// A fresh sign-in by another way is as good: so a forgotten one is replaced.
	link, err := e.auth.NewLink(t.Context(), u, auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	b := e.browser()
	if rec := b.ask("POST", "/auth/link/"+link, nil); rec.Code != http.StatusSeeOther {
		t.Fatalf("the link answers %d", rec.Code)
	}
	if got := set(b, "", "third password"); got != 204 {
		t.Errorf("after a link it answers %d", got)
	}
	refused := 0
	for range 20 {
		if set(b, "wrong", "fourth password") == 429 {
			refused++
		}
	}
	if refused < 10 {
		t.Errorf("only %d of 20 guesses were slowed down", refused)
	}
	if resp := e.call("PUT", "/api/users/me/password", map[string]string{"password": "by a program"},
		nil); resp.StatusCode != 403 {
		t.Errorf("a program sets it: %d", resp.StatusCode)
	}
}

type creation struct {
	PublicKey struct {
		Challenge string
		RP        struct{ ID string }
		User      struct{ ID string }
		Exclude   []struct{ ID string } `json:"excludeCredentials"`
		Selection struct {
			ResidentKey, UserVerification string
		} `json:"authenticatorSelection"`
		RPID string `json:"rpId"`
	}
}

// A guessable password is rejected wherever one is set, with the reason in the user's language.
// G-81
func TestGuessablePasswordsAreRejected(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.signUp("open")
	owner := e.as("owner@localhost")
	for name, c := range map[string]struct {
		b            *browser
		method, path string
		body         map[string]string
		code         string
	}{
		"signing up": {e.browser(), "POST", "/api/auth/signup",
			map[string]string{"email": "a@example.org", "password": "aaaaaaaaaaaa"}, "password_pattern"},
		"signing up by one's address": {
			e.browser(), "POST", "/api/auth/signup",
			map[string]string{"email": "wilhelmina@example.org", "password": "wilhelmina1"}, "password_personal",
		},
		"a new password": {owner, "PUT", "/api/users/me/password", map[string]string{"password": "Password1!"},
			"password_usual"},
	} {
		if p := answer[problem](t, c.b.ask(c.method, c.path, c.body), 400); p.Code != c.code || p.Action == "" ||
			p.Category != "validation" ||
			len(p.Details) != 1 || p.Details[0].Field != "password" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if _, err := e.auth.AddUser(t.Context(), "b@example.org", "12345678", false); fault.CodeOf(err) !=
		"password_pattern" {
		t.Errorf("a user is added: %v", err)
	}
}

func (b *browser) options(path string) (challenge []byte, o creation) {
	b.t.Helper()
	rec := b.ask("POST", path, nil)
	if err := json.Unmarshal(rec.Body.Bytes(), &o); err != nil || rec.Code != 200 {
		b.t.Fatalf("POST %s answers %d: %s", path, rec.Code, rec.Body)
	}
	challenge, err := base64.RawURLEncoding.DecodeString(o.PublicKey.Challenge)
	if err != nil || len(challenge) != 32 {
		b.t.Fatalf("the challenge is %q", o.PublicKey.Challenge)
	}
	return challenge, o
}

func (b *browser) register(name string) (*authenticator.Passkey, string) {
	b.t.Helper()
	challenge, o := b.options("/api/passkeys/options")
	handle, _ := base64.RawURLEncoding.DecodeString(o.PublicKey.User.ID)
	key := authenticator.New(b.t, -7, o.PublicKey.RP.ID, readerAt, handle)
	rec := b.ask("POST", "/api/passkeys",
		map[string]any{"name": name, "credential": json.RawMessage(key.Register(challenge))})
	var a struct{ Passkey struct{ ID, Name string } }
	if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil || rec.Code != 201 || a.Passkey.Name != name {
		b.t.Fatalf("registering answers %d: %s", rec.Code, rec.Body)
	}
	return key, a.Passkey.ID
}

func (b *browser) signIn(key *authenticator.Passkey) *httptest.ResponseRecorder {
	b.t.Helper()
	challenge, _ := b.options("/api/auth/passkey/options")
	return b.ask("POST", "/api/auth/passkey/verify",
		map[string]any{"credential": json.RawMessage(key.Assert(challenge))})
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	for _, email := range []string{"anna@example.org", "berta@example.org"} {
		if _, err := e.auth.AddUser(t.Context(), email, "", false); err != nil {
			t.Fatal(err)
		}
	}
	anna := e.as("anna@example.org")
	key, id := anna.register("Phone")
	if key.RPID != "reader.example" {
		t.Errorf("the RP ID is %s", key.RPID)
	}
	_, o := anna.options("/api/passkeys/options")
	if len(o.PublicKey.Exclude) != 1 || o.PublicKey.Exclude[0].ID != base64.RawURLEncoding.EncodeToString(key.ID) ||
		o.PublicKey.Selection.ResidentKey != "required" || o.PublicKey.Selection.UserVerification != "required" {
		t.Errorf("the options are %+v", o)
	}
	b := e.browser()
	if rec := b.signIn(key); rec.Code != 200 || b.me() != "anna@example.org" {
		t.Fatalf("signing in answers %d: %s, as %q", rec.Code, rec.Body, b.me())
	}
	var list struct {
		Passkeys []struct {
			ID, Name              string
			LastUsedAt, CreatedAt *string
			IsSuspect             bool
		}
	}
	if b.get("/api/passkeys", &list); len(list.Passkeys) != 1 || list.Passkeys[0].ID != id ||
		list.Passkeys[0].LastUsedAt == nil {
		t.Errorf("the passkeys are %+v", list)
	}
	if rec := b.ask("PATCH", "/api/passkeys/"+id, map[string]string{"name": " Old phone "}); rec.Code != 200 ||
		!strings.Contains(rec.Body.String(), `"Old phone"`) {
		t.Errorf("renaming answers %d: %s", rec.Code, rec.Body)
	}
	for _, name := range []string{"", " ", strings.Repeat("x", 101)} {
		if rec := b.ask("PATCH", "/api/passkeys/"+id, map[string]string{"name": name}); rec.Code != 400 {
			t.Errorf("the name %.5q answers %d", name, rec.Code)
		}
	}
	berta := e.as("berta@example.org")
	for method, body := range map[string]any{"PATCH": map[string]string{"name": "x"}, "DELETE": nil} {
		if rec := berta.ask(method, "/api/passkeys/"+id, body); rec.Code != 404 {
			t.Errorf("%s of another's answers %d", method, rec.Code)
		}
	}
	if rec := anna.ask("DELETE", "/api/passkeys/"+id, nil); rec.Code != 409 {
		t.Errorf("removing the last way in answers %d", rec.Code)
	}
	second, _ := anna.register("Key")
	if rec := anna.ask("DELETE", "/api/passkeys/"+id, nil); rec.Code != 204 {
		t.Errorf("removing one of two answers %d: %s", rec.Code, rec.Body)
	}
	if rec := e.browser().signIn(key); rec.Code != 401 {
		t.Errorf("a removed one answers %d", rec.Code)
	}
	if rec := e.browser().signIn(second); rec.Code != 200 {
		t.Errorf("the other answers %d", rec.Code)
	}
	if resp := e.call("POST", "/api/passkeys/options", nil, nil); resp.StatusCode != 403 {
		t.Errorf("a program registers: %d", resp.StatusCode)
	}
	e.clock.Add(auth.Freshly + time.Second)
	if rec := anna.ask("POST", "/api/passkeys/options", nil); rec.Code != 403 {
		t.Errorf("a session left open registers: %d", rec.Code)
	}
}

func TestForgedPasskeys(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	if _, err := e.auth.AddUser(t.Context(), "anna@example.org", "", false); err != nil {
		t.Fatal(err)
	}
	anna := e.as("anna@example.org")
	key, _ := anna.register("Phone")
	refused := func(name string, rec *httptest.ResponseRecorder, code string) {
		t.Helper()
		if rec.Code < 400 || rec.Code >= 500 || !strings.Contains(rec.Body.String(), code) ||
			slices.ContainsFunc(rec.Result().Cookies(), func(c *http.Cookie) bool {
				return c.Name == "ruri"
			}) {
			t.Errorf("%s answers %d: %s", name, rec.Code, rec.Body)
		}
	}
	for name, lie := range map[string]func(*authenticator.Passkey){
		"another site":       func(k *authenticator.Passkey) { k.Origin = "https://reader.example.evil.example" },
		"another RP ID":      func(k *authenticator.Passkey) { k.RPID = "example" },
		"nobody verified":    func(k *authenticator.Passkey) { k.Flags = authenticator.Present },
		"another's handle":   func(k *authenticator.Passkey) { k.UserHandle = []byte("somebody") },
		"a handle of bytes":  func(k *authenticator.Passkey) { k.UserHandle = []byte{0xff, 0, '#'} },
		"another credential": func(k *authenticator.Passkey) { k.ID = bytes.Repeat([]byte{1}, 32) },
	} {
		liar := *key
		lie(&liar)
		refused(name, e.browser().signIn(&liar), "passkey_refused")
	}
	// The challenge is this browser's, of this ceremony, for five minutes, and once.
	b := e.browser()
	challenge, _ := b.options("/api/auth/passkey/options")
	answer := map[string]any{"credential": json.RawMessage(key.Assert(challenge))}
	refused("another browser's challenge", e.browser().ask("POST", "/api/auth/passkey/verify", answer),
		"sign_in_expired")
	other := e.browser()
	other.options("/api/auth/passkey/options")
	refused("a challenge for another ticket", other.ask("POST", "/api/auth/passkey/verify", answer), "passkey_refused")
	ticket := b.cookies["ruri-passkey"]
	if rec := b.ask("POST", "/api/auth/passkey/verify", answer); rec.Code != 200 {
		t.Fatalf("the honest answer answers %d: %s", rec.Code, rec.Body)
	}
	thief := e.browser()
	thief.cookies["ruri-passkey"] = ticket
	refused("a replayed answer", thief.ask("POST", "/api/auth/passkey/verify", answer), "sign_in_expired")
	challenge, _ = anna.options("/api/passkeys/options")
	mixed := e.browser()
	mixed.cookies["ruri-passkey"] = anna.cookies["ruri-passkey"]
	refused("the ticket of a registration",
		mixed.ask("POST", "/api/auth/passkey/verify",
			map[string]any{"credential": json.RawMessage(key.Assert(challenge))}), "sign_in_expired")
	berta := e.as("owner@localhost")
	berta.cookies["ruri-passkey"] = anna.cookies["ruri-passkey"]
	refused("another's registration",
		berta.ask("POST", "/api/passkeys",
			map[string]any{"name": "x", "credential": json.RawMessage(key.Register(challenge))}), "sign_in_expired")
	late := e.browser()
	challenge, _ = late.options("/api/auth/passkey/options")
	e.clock.Add(auth.ChallengeLife)
	refused("five minutes later",
		late.ask("POST", "/api/auth/passkey/verify",
			map[string]any{"credential": json.RawMessage(key.Assert(challenge))}), "sign_in_expired")
	// A counter that goes back.
	key.Count = 7
	if rec := e.browser().signIn(key); rec.Code != 200 {
		t.Fatalf("counting answers %d", rec.Code)
	}
	for _, n := range []uint32{7, 6, 0} {
		key.Count = n
		refused(fmt.Sprintf("the count %d after 7", n), e.browser().signIn(key), "passkey_refused")
	}
	anna = e.as("anna@example.org")
	var list struct{ Passkeys []struct{ IsSuspect bool } }
	if anna.get("/api/passkeys", &list); len(list.Passkeys) != 1 || !list.Passkeys[0].IsSuspect {
		t.Errorf("the passkeys are %+v", list)
	}
	key.Count = 8
	if rec := e.browser().signIn(key); rec.Code != 200 {
		t.Errorf("counting on answers %d", rec.Code)
	}
}

// Browsers reject IP addresses and connections without TLS.
func TestPasskeysNeedAName(t *testing.T) {
	t.Parallel()
	for base, ok := range map[string]bool{
		"https://reader.example": true, "https://Reader.Example:8443": true, "http://localhost:8080": true,
		"http://127.0.0.1:8080": false,
		"http://reader.example": false, "https://192.0.2.1": false, "https://[2001:db8::1]": false,
	} {
		e := newEntrance(t, func(o *api.Options) { o.BaseURL = base })
		var ways struct{ Passkey bool }
		e.browser().get("/api/auth/methods", &ways)
		rec := e.browser().ask("POST", "/api/auth/passkey/options", nil)
		if ways.Passkey != ok || (rec.Code == 200) != ok {
			t.Errorf("%s: %v, %d", base, ways.Passkey, rec.Code)
		}
	}
}

// The writes of each sign-in method (docs/develop/data-model.md).
func TestSignInCosts(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.signUp(auth.SignUpOpen)
	check := func(what string, want map[string]float64, f func()) {
		t.Helper()
		if got := e.spent(f); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s writes %v units, want %v", what, got, want)
		}
	}
	e.as("owner@localhost") // the first session makes the secret
	b := e.browser()
	check("the first sign-in by a provider", map[string]float64{"account": 2, "identity": 2, "email": 1, "session": 1},
		func() {
			b.through("/auth/google/login")
		})
	check("the next", map[string]float64{"session": 1}, func() { e.browser().through("/auth/google/login") })
	var key *authenticator.Passkey
	check("a passkey", map[string]float64{"passkey": 1}, func() { key, _ = b.register("Phone") })
	check("its first use", map[string]float64{"passkey": 1, "session": 1}, func() { e.browser().signIn(key) })
	check("its next within the hour", map[string]float64{"session": 1}, func() { e.browser().signIn(key) })
	key.Count = 1
	check("one that counts", map[string]float64{"passkey": 1, "session": 1}, func() { e.browser().signIn(key) })
}

// TestSignUpByAProviderSurvivesFailures breaks off after each write: whatever is left, the person gets in by trying
// again, as one user, and nobody else does.
func TestSignUpByAProviderSurvivesFailures(t *testing.T) {
	t.Parallel()
	for writes := range 5 {
		e := newEntrance(t)
		e.signUp(auth.SignUpOpen)
		hash := store.IdentityHash(e.issuer.URL, "1001")
		// What a crash after so many writes leaves, made by hand in the order of auth.signUpAs.
		u := "half-made"
		steps := []func() error{
			func() error {
				return e.store.Accounts.CreatePending(t.Context(), "half-made",
					store.Account{Email: "anna@example.org"})
			},
			func() error {
				return e.store.Accounts.PutIdentity(t.Context(), "half-made",
					store.IdentityRow{Provider: "google", Issuer: e.issuer.URL, Subject: "1001"})
			},
			func() error { return e.store.Accounts.ClaimIdentity(t.Context(), hash, "half-made", "") },
			func() error { return e.store.Accounts.ClaimEmail(t.Context(), "half-made", "anna@example.org") },
		}
		for _, step := range steps[:writes] {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		b := e.browser()
		if to := b.through("/auth/google/login"); to != "/" || b.me() != "anna@example.org" {
			t.Errorf("after %d writes it leads to %s, as %q", writes, to, b.me())
		}
		a, err := e.auth.ByEmail(t.Context(), "anna@example.org")
		if err != nil || a.Pending || (writes >= 3) != (string(a.ID()) == u) {
			t.Errorf("after %d writes the account is %+v, %v", writes, a, err)
		}
		again := e.browser()
		if again.through("/auth/google/login"); again.me() != "anna@example.org" {
			t.Errorf("after %d writes the second sign-in is %q's", writes, again.me())
		}
	}
}

// An identity of a deleted user leads to a new user.
func TestIdentityOfADeletedUser(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.signUp(auth.SignUpOpen)
	if err := e.store.Accounts.ClaimIdentity(t.Context(), store.IdentityHash(e.issuer.URL, "1001"), "gone",
		""); err != nil {
		t.Fatal(err)
	}
	b := e.browser()
	if to := b.through("/auth/google/login"); to != "/" || b.me() != "anna@example.org" {
		t.Errorf("it leads to %s, as %q", to, b.me())
	}
}

// TestSignInAtARealProvider goes the whole way with a certified provider in a process of its own: the reader's
// redirect, the provider's log-in and consent pages, and back; then as one who is known, and linking. G-5, G-6, G-7.
func TestSignInAtARealProvider(t *testing.T) {
	t.Parallel()
	at := doubles.OIDC(t)
	e := newEntrance(t)
	e.clock.Set(clock.System{}.Now()) // the provider's clock
	e.signUp(auth.SignUpOpen)
	body := strings.NewReader(`{"redirect_uris":["` + readerAt + `/auth/oidc/callback"]}`)
	resp, err := http.Post(at+"/reg", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	err = json.NewDecoder(resp.Body).Decode(&client)
	_ = resp.Body.Close()
	if err != nil || client.Secret == "" {
		t.Fatalf("registering the client answers %d, %v", resp.StatusCode, err)
	}
	guarded := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(guarded.Close)
	e.auth.Providers = []auth.Provider{{ID: "oidc", Name: "Real", Provider: oidc.New(oidc.Config{
		Issuer: at, ClientID: client.ID, HTTP: guarded.Guarded(10*time.Second, 64<<10), Clock: e.clock,
		Secret: func(context.Context) (string, error) { return client.Secret, nil },
	})}}
	through := func(b *browser, path, person string) string {
		t.Helper()
		jar, _ := cookiejar.New(nil)
		back := doubles.SignIn(t, &http.Client{Jar: jar}, b.leads(path), readerAt+"/auth/oidc/callback", person)
		callback := strings.TrimPrefix(back.String(), readerAt)
		kept := b.cookies["ruri-signin"]
		to := b.leads(callback)
		thief := e.browser() // who caught cookie and code
		thief.cookies["ruri-signin"] = kept
		if again := thief.leads(callback); again != "/login?e=sign_in_expired" {
			t.Errorf("a replayed answer leads to %s", again)
		}
		return to
	}
	b := e.browser()
	if to := through(b, "/auth/oidc/login?next=/starred", "anna"); to != "/starred" || b.me() != "anna@example.org" {
		t.Fatalf("the first sign-in leads to %s, as %q", to, b.me())
	}
	again := e.browser()
	if to := through(again, "/auth/oidc/login", "anna"); to != "/" || again.me() != "anna@example.org" {
		t.Errorf("the second leads to %s, as %q", to, again.me())
	}
	if to := through(e.browser(), "/auth/oidc/login", "berta-unverified"); to != "/login?e=email_unverified" {
		t.Errorf("an address that is not verified leads to %s", to)
	}
	if to := through(again, "/auth/oidc/login?link=1", "work"); to != "/" {
		t.Errorf("linking leads to %s", to)
	}
	other := e.browser()
	if to := through(other, "/auth/oidc/login", "work"); to != "/" || other.me() != "anna@example.org" {
		t.Errorf("the linked identity leads to %s, as %q", to, other.me())
	}
}
