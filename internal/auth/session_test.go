package auth

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// forge signs claims as the service does, or not quite.
func (w *world) forge(t *testing.T, method jwt.SigningMethod, key any, change func(jwt.MapClaims)) string {
	t.Helper()
	c := jwt.MapClaims{
		"iss": tokenIssuer, "aud": tokenAudience, "sub": "anna", "jti": "x", "iat": start.Unix(),
		"exp":       start.Add(time.Hour).Unix(),
		"auth_time": start.Unix(),
	}
	if change != nil {
		change(c)
	}
	s, err := jwt.NewWithClaims(method, c).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// R-33, C-15, G-7: what a session's token must be.
func TestSessions(t *testing.T) {
	t.Parallel()
	w := newWorld()
	value, expires, err := w.NewSession(t.Context(), "anna")
	if err != nil || !expires.Equal(start.Add(SessionIdle)) {
		t.Fatalf("the session lasts until %v, %v", expires, err)
	}
	other, _, err := newWorld().NewSession(t.Context(), "anna") // an installation with another secret
	if err != nil {
		t.Fatal(err)
	}
	secret, err := w.sessionSecret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	derived, err := w.Key(t.Context(), "another purpose")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := w.parse(t.Context(), value)
	if err != nil {
		t.Fatal(err)
	}
	alive := func(c jwt.MapClaims) { c["jti"] = mine.ID }
	with := func(change func(jwt.MapClaims)) string {
		return w.forge(t, jwt.SigningMethodHS256, secret, func(c jwt.MapClaims) { alive(c); change(c) })
	}
	parts := strings.Split(value, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
	for name, c := range map[string]struct {
		value string
		after time.Duration
		ok    bool
	}{
		"as made":                 {value, 0, true},
		"a moment before its end": {value, SessionIdle - time.Second, true},
		"expired":                 {value, SessionIdle, false},
		"signed alike":            {with(func(jwt.MapClaims) {}), 0, true},
		"without a row":           {with(func(c jwt.MapClaims) { c["jti"] = "other" }), 0, false},
		"another user's session":  {with(func(c jwt.MapClaims) { c["sub"] = "berta" }), 0, false},
		"another issuer":          {with(func(c jwt.MapClaims) { c["iss"] = "else" }), 0, false},
		"another audience":        {with(func(c jwt.MapClaims) { c["aud"] = "else" }), 0, false},
		"no audience":             {with(func(c jwt.MapClaims) { delete(c, "aud") }), 0, false},
		"no end":                  {with(func(c jwt.MapClaims) { delete(c, "exp") }), 0, false},
		"no user":                 {with(func(c jwt.MapClaims) { c["sub"] = "" }), 0, false},
		"no id":                   {with(func(c jwt.MapClaims) { delete(c, "jti") }), 0, false},
		"no time of sign-in":      {with(func(c jwt.MapClaims) { delete(c, "auth_time") }), 0, false},
		"an end beyond the limits": {with(func(c jwt.MapClaims) {
			c["exp"] = start.Add(2 * SessionIdle).Unix()
		}), SessionIdle, false},
		"HS512": {w.forge(t, jwt.SigningMethodHS512, secret, alive), 0, false},
		"no signature": {w.forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, alive), 0,
			false},
		"alg none, our signature":  {none + "." + parts[1] + "." + parts[2], 0, false},
		"a key for something else": {w.forge(t, jwt.SigningMethodHS256, derived, alive), 0, false},
		"a cut signature":          {value[:len(value)-1], 0, false},
		"another secret":           {other, 0, false},
		"the old format":           {"s1.anna.zzzzzz.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 0, false},
		"empty":                    {"", 0, false},
		"dots":                     {"..", 0, false},
		"endless":                  {value + strings.Repeat("x", 2000), 0, false},
	} {
		w.clk.Set(start.Add(c.after))
		got, err := w.Session(t.Context(), c.value)
		if c.ok && (err != nil || got.User != "anna") || !c.ok && !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// C-16: thirty days of rest, a year in all, both settable.
// K-5
func TestSessionsSlideToTheirLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy Policy
		every  time.Duration // of use
		lives  time.Duration
	}{
		"used daily":   {Policy{}, 25 * time.Hour, SessionLife},
		"used monthly": {Policy{}, SessionIdle - time.Second, SessionLife},
		"left alone":   {Policy{}, SessionIdle, SessionIdle},
		"a shared installation": {Policy{Idle: 24 * time.Hour, Life: 7 * 24 * time.Hour}, 5 * time.Hour,
			7 * 24 * time.Hour},
		"idle above life": {Policy{Idle: 48 * time.Hour, Life: 24 * time.Hour}, time.Hour, 24 * time.Hour},
	} {
		w := newWorld()
		w.Policy = c.policy.withDefaults()
		token, _, err := w.NewSession(t.Context(), "anna")
		if err != nil {
			t.Fatal(err)
		}
		for {
			w.clk.Add(c.every)
			v, err := w.Session(t.Context(), token)
			if err != nil {
				break
			}
			next, _, err := w.Renew(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			if next != "" {
				token = next
			}
		}
		if lived := w.clk.Now().Sub(start); lived < c.lives || lived >= c.lives+c.every {
			t.Errorf("%s: lived %v, want %v", name, lived, c.lives)
		}
	}
}

func TestSessionsAreRenewedAfterADayOfUse(t *testing.T) {
	t.Parallel()
	w := newWorld()
	value, _, err := w.NewSession(t.Context(), "anna")
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.Session(t.Context(), value)
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]bool{0: false, 24 * time.Hour: false, 24*time.Hour + time.Second: true} {
		w.clk.Set(start.Add(after))
		token, _, err := w.Renew(t.Context(), v)
		if err != nil || (token != "") != want {
			t.Errorf("after %v it is renewed: %v, %v", after, token != "", err)
		}
		if want {
			next, err := w.Session(t.Context(), token)
			if err != nil || next.ID != v.ID || !next.SignIn.Equal(v.SignIn) ||
				!next.Expires.Equal(w.clk.Now().Add(SessionIdle)) {
				t.Errorf("the next one is %+v, %v", next, err)
			}
		}
	}
}

// TestEndedSessionsEndEverywhere: at once where they were ended, within a minute at other instances.
func TestEndedSessionsEndEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld()
	far := New(w.store.Accounts, w.clk, Options{})
	token := func() string {
		v, _, err := w.NewSession(t.Context(), "anna")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first, second, third := token(), token(), token()
	berta, _, err := w.NewSession(t.Context(), "berta")
	if err != nil {
		t.Fatal(err)
	}
	id := func(s string) string {
		v, err := far.Session(t.Context(), s) // remembered there, from now
		if err != nil {
			t.Fatal(err)
		}
		return v.ID
	}
	one, two := id(first), id(second)
	id(third)
	id(berta)
	if err := w.EndSession(t.Context(), "anna", one); err != nil {
		t.Fatal(err)
	}
	check := func(when string, s *Service, token string, want bool) {
		t.Helper()
		if _, err := s.Session(t.Context(), token); (err == nil) != want {
			t.Errorf("%s: %v", when, err)
		}
	}
	check("ended here", w.Service, first, false)
	check("ended at once elsewhere", far, first, true) // what it costs to ask the table once a minute
	check("another one", w.Service, second, true)
	if n, err := w.EndAll(t.Context(), "anna", two); n != 1 || err != nil {
		t.Errorf("%d others ended, %v", n, err)
	}
	check("spared", w.Service, second, true)
	check("not spared", w.Service, third, false)
	w.clk.Add(time.Minute)
	check("a minute later elsewhere", far, first, false)
	check("a minute later elsewhere", far, third, false)
	check("spared elsewhere", far, second, true)
	check("somebody else's", far, berta, true)
	if n, err := w.EndAll(t.Context(), "anna", ""); n != 1 || err != nil {
		t.Errorf("%d ended, %v", n, err)
	}
	check("all", w.Service, second, false)
	w.clk.Add(time.Hour)
	check("and not by its use", far, second, false)
	if list, err := w.Sessions(t.Context(), "anna"); err != nil || len(list) != 0 {
		t.Errorf("%d sessions are left, %v", len(list), err)
	}
}

// TestSessionsCostNoReads: C-3, R-38: a remembered session costs nothing; once a minute half a unit; activity one
// write an hour, of however many instances.
// C-35
func TestSessionsCostNoReads(t *testing.T) {
	t.Parallel()
	w := newWorld()
	far := New(w.store.Accounts, w.clk, Options{})
	token, _, err := w.NewSession(t.Context(), "anna")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := far.sessionSecret(t.Context()); err != nil {
		t.Fatal(err)
	}
	spent := func() (reads, writes float64) {
		m := w.store.Table().Meter().Snapshot()
		return m.Reads["session"], m.Writes["session"]
	}
	use := func(s *Service) {
		t.Helper()
		if _, err := s.Session(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	r0, w0 := spent()
	for range 1000 {
		use(w.Service)
	}
	if r, n := spent(); r != r0 || n != w0 {
		t.Errorf("a thousand requests cost %v reads, %v writes", r-r0, n-w0)
	}
	w.clk.Add(2 * time.Hour)
	use(w.Service)
	use(far)
	if _, n := spent(); n != w0+1 {
		t.Errorf("after two hours %v writes, want 1", n-w0)
	}
	r0, w0 = spent()
	for range 3 * 3600 { // three hours, one request a second at each of two instances
		w.clk.Add(time.Second)
		use(w.Service)
		use(far)
	}
	r, n := spent()
	if n -= w0; n < 3 || n > 2*3 { // an attempt that another instance was quicker with costs its unit too
		t.Errorf("three hours cost %v writes, want 3, and no more than 1 an hour and instance", n)
	}
	if most := 2 * 3 * 3600 / 50 * 0.5 * 1.02; r-r0 > most {
		t.Errorf("three hours cost %v reads, want at most %v", r-r0, most)
	}
	list, err := w.Sessions(t.Context(), "anna")
	if err != nil || len(list) != 1 || list[0].Active < w.clk.Now().Add(-time.Hour).Unix() {
		t.Errorf("the list is %+v, %v", list, err)
	}
}

func TestSessionMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := newCache()
	for i := range 3 * maxCached {
		m.put(randomText(8), cached{}, start.Add(time.Duration(i)*time.Millisecond))
	}
	if len(m.rows) > maxCached {
		t.Errorf("%d are kept", len(m.rows))
	}
	m.put("back", cached{}, start.Add(24*time.Hour))
	if _, ok := m.get("back", start); ok {
		t.Error("a clock that went back makes a memory last")
	}
}

// C-17: what a session keeps of the place it was begun at.
// R-124, G-77, H-36
func TestStoredSessionDetails(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.77": "203.0.113.0/24", "2001:db8:1:2:3::4": "2001:db8:1::/48",
		"::ffff:203.0.113.77": "203.0.113.0/24",
		"fe80::1%eth0":        "fe80::/48", "": "", "nonsense": "",
	} {
		for _, wanted := range []bool{false, true} {
			w := newWorld()
			w.Policy.Addresses = wanted
			if _, _, err := w.StartSession(t.Context(), "anna",
				Start{Method: "password", Agent: "curl/8", Address: address}); err != nil {
				t.Fatal(err)
			}
			list, err := w.Sessions(t.Context(), "anna")
			if err != nil || len(list) != 1 || list[0].Method != "password" || list[0].Device != "curl" {
				t.Fatalf("%+v, %v", list, err)
			}
			if got := list[0].Address; wanted && got != want || !wanted && got != "" {
				t.Errorf("of %s is kept %q", address, got)
			}
		}
	}
}

func TestDevices(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0": "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/127.0.0.0 " +
			"Safari/537.36 Edg/127.0.0.0": "Edge on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/17.5 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/127.0 " +
			"Mobile/15E148 Safari/604.1": "Chrome on iPhone",
		"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/127.0.0.0 Mobile " +
			"Safari/537.36": "Chrome on Android",
		"Mozilla/5.0 (Linux; Android 14; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 " +
			"Chrome/121.0.0.0 Mobile Safari/537.36": "Samsung Internet on Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 " +
			"Safari/605.1.15": "Safari on Mac",
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/127.0.0.0 " +
			"Safari/537.36": "Chrome on ChromeOS",
		"Mozilla/5.0 (compatible; something)": "", "curl/8.5.0": "curl", "Reeder/5": "Reeder", "": "",
		"\x00\x01": "", "ñandú/1": "",
		"NetNewsWire (RSS Reader; https://netnewswire.com/)": "NetNewsWire", strings.Repeat("x", 41): "",
	} {
		if got := Device(agent); got != want {
			t.Errorf("%.60s… is %q, want %q", agent, got, want)
		}
	}
}

func FuzzDevice(f *testing.F) {
	f.Add("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
	f.Add("curl/8.5.0")
	f.Fuzz(func(t *testing.T, agent string) {
		d := Device(agent)
		if len(d) > maxDevice || strings.ContainsFunc(d, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q is called %q", agent, d)
		}
	})
}

// FuzzSession: what nobody signed is nobody's session, and nothing that is sent makes the check fail otherwise.
func FuzzSession(f *testing.F) {
	w := newWorld()
	value, _, err := w.NewSession(f.Context(), "anna")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value)
	f.Add("")
	f.Add("a.b.c")
	header, _ := json.Marshal(map[string]any{"alg": "none", "crit": []string{"b64"}, "b64": false})
	f.Add(base64.RawURLEncoding.EncodeToString(header) + "." + strings.Split(value, ".")[1] + ".")
	f.Fuzz(func(t *testing.T, token string) {
		got, err := w.Session(t.Context(), token)
		if token == value && (err != nil || got.User != reader.UserID("anna")) {
			t.Errorf("our own: %v", err)
		}
		if token != value && !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%q is %q's session, %v", token, got.User, err)
		}
	})
}
