package doctor

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/webui"
)

const (
	clockOff   = 2 * time.Minute // the difference from other clocks that is reported
	soonExpiry = 14 * 24 * time.Hour
	setClock   = "Set the clock, and let it be kept: timedatectl set-ntp true"
)

// answer is the response of an address.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	expires time.Time // of its certificate
}

func (e *examination) get(ctx context.Context, address string) (a answer, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return a, err
	}
	resp, err := e.Client.Do(req)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err
		}
		return a, err
	}
	defer resp.Body.Close()
	a.status, a.header = resp.StatusCode, resp.Header
	if resp.TLS != nil && len(resp.TLS.PeerCertificates) > 0 {
		a.expires = resp.TLS.PeerCertificates[0].NotAfter
	}
	a.body, err = io.ReadAll(resp.Body)
	return a, err
}

// health is the response of a reader.
type health struct{ Status, Version, Client string }

func (a *answer) health() (h health, ok bool) {
	ok = a.status == http.StatusOK && json.Unmarshal(a.body, &h) == nil && h.Status == "ok"
	return h, ok
}

// address examines where the server listens, and whether it runs.
func (e *examination) address(ctx context.Context) {
	const check = "address"
	addr := e.Config.Addr
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		e.problem(check, fmt.Sprintf("RURI_ADDR is %q, which has no port.", addr), "Set it to a value like "+
			"127.0.0.1:8080.")
		return
	}
	if a, err := e.get(ctx, e.Own+"/healthz"); err == nil {
		h, ok := a.health()
		switch {
		case !ok:
			e.problem(check, "Another program answers at "+e.Own+".", "Choose another address with RURI_ADDR or "+
				"--addr, or end that program (ss -ltnp shows it).")
			return
		case h.Version != e.Version:
			e.warn(check, fmt.Sprintf("The running server is of version %s, this program of %s.", h.Version, e.Version),
				"Start the server anew.")
		default:
			e.ok(check, "The server answers at %s.", e.Own)
		}
	} else {
		e.notRunning(ctx, addr)
	}
	ip, err := netip.ParseAddr(host)
	if (host == "" || err == nil && !ip.IsLoopback()) && !strings.HasPrefix(e.Config.BaseURL, "https://") {
		e.warn(check, "The server can be reached from the network without encryption.", "Put a proxy with HTTPS in "+
			"front of it, set RURI_BASE_URL to its address, and listen on 127.0.0.1.")
	}
}

func (e *examination) notRunning(ctx context.Context, addr string) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		_ = ln.Close()
		e.warn("address", "No server runs at "+addr+".", "Start it: ruri serve --addr "+addr)
	case errors.Is(err, syscall.EADDRINUSE):
		e.problem("address", "Another program has the port of "+addr+".", "Choose another address with RURI_ADDR or "+
			"--addr, or end that program (ss -ltnp shows it).")
	case errors.Is(err, syscall.EACCES):
		e.problem("address", "This user may not listen on "+addr+".", "Choose a port above 1023, with a proxy in "+
			"front of it.")
	default:
		e.problem("address", "Nothing can listen on "+addr+": "+rootOf(err)+".", "Set RURI_ADDR to an address of "+
			"this machine, such as 127.0.0.1:8080.")
	}
}

// rootOf returns what the system said.
func rootOf(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	return err.Error()
}

// network examines the way to publishers, and by its time the clock.
func (e *examination) network(ctx context.Context) {
	u, err := url.Parse(e.Outside)
	if err != nil || u.Host == "" {
		e.problem("outgoing", "RURI_PROJECT_URL is no address.", "Correct or remove it.")
		return
	}
	if err := e.Resolve(ctx, u.Hostname()); err != nil {
		e.problem("dns", "The name "+u.Hostname()+" cannot be looked up: "+rootOf(err)+".", "Check the machine's "+
			"name servers (/etc/resolv.conf) and its connection.")
		return
	}
	e.ok("dns", "Names can be looked up.")
	a, err := e.get(ctx, e.Outside)
	if err != nil {
		if !e.certificate("outgoing", e.Outside, err) {
			e.problem("outgoing", e.Outside+" cannot be reached: "+rootOf(err)+".", "Allow this machine to connect "+
				"to port 443 of other hosts; publishers are asked directly, not through HTTPS_PROXY.")
		}
		return
	}
	e.ok("outgoing", "Other hosts can be reached by HTTPS.")
	e.clock(a.header)
}

func (e *examination) clock(h http.Header) {
	there, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	now := e.Clock.Now()
	if off := now.Sub(there).Round(time.Second); off.Abs() > clockOff {
		e.problem("clock", fmt.Sprintf("This machine's clock says %s, others say %s: it is off by %v.", stamp(now),
			stamp(there), off.Abs()), setClock)
		return
	}
	e.ok("clock", "The clock is right.")
}

// certificate reports whether an error is about a certificate, and what about it.
func (e *examination) certificate(check, address string, err error) bool {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		until := invalid.Cert.NotAfter
		e.problem(check, fmt.Sprintf("The certificate of %s is not valid at %s, this machine's time; it is from %s "+
			"to %s.",
			address, stamp(e.Clock.Now()), stamp(invalid.Cert.NotBefore), stamp(until)),
			"If that time is wrong, set the clock (timedatectl set-ntp true); else renew the certificate.")
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		e.problem(check, "The certificate of "+address+" is for other names: "+err.Error()+".", "Get a certificate "+
			"for the name, or correct the address.")
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		e.problem(check, "The certificate of "+address+" is of an unknown authority.", "Install the system's "+
			"certificates (package ca-certificates), and that of the authority if it is your own or your network's.")
		return true
	}
	return false
}

// base examines the address at which people reach the reader.
func (e *examination) base(ctx context.Context) {
	const check = "base url"
	base := e.Config.BaseURL
	if base == "" {
		e.ok(check, "RURI_BASE_URL is not set: the reader is for this machine or network.")
		return
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		e.problem(check, fmt.Sprintf("RURI_BASE_URL is %q.", base), "Set it to an address like "+
			"https://reader.example.org.")
		return
	}
	if u.Scheme == "http" {
		e.warn(check, base+" is not encrypted: passwords can be read on the way, and passkeys and the page offline "+
			"do not work.", "Set up HTTPS in the proxy, and RURI_BASE_URL to the https address.")
	}
	if err := e.Resolve(ctx, u.Hostname()); err != nil {
		e.problem("dns", "The name "+u.Hostname()+" cannot be looked up: "+rootOf(err)+".", "Add a DNS record for "+
			"it, or correct RURI_BASE_URL.")
		return
	}
	a, err := e.get(ctx, base+"/healthz")
	if err != nil {
		if !e.certificate("certificate", base, err) {
			e.problem(check, base+" cannot be reached: "+rootOf(err)+".", "Start the proxy, open its port, or "+
				"correct RURI_BASE_URL.")
		}
		return
	}
	if !a.expires.IsZero() {
		if left := a.expires.Sub(e.Clock.Now()); left < soonExpiry {
			e.warn("certificate", fmt.Sprintf("The certificate of %s is valid for %d more days.", base,
				left/(24*time.Hour)),
				"Renew it; see why the proxy or certbot did not.")
		} else {
			e.ok("certificate", "The certificate is valid until %s.", stamp(a.expires))
		}
	}
	h, isReader := a.health()
	switch {
	case a.status >= 300 && a.status < 400:
		e.problem(check, base+" redirects to "+a.header.Get("Location")+".", "Set RURI_BASE_URL to the address at "+
			"which the reader answers.")
	case a.status == http.StatusBadGateway || a.status == http.StatusServiceUnavailable ||
		a.status == http.StatusGatewayTimeout:
		e.problem(check, fmt.Sprintf("The proxy at %s does not reach the server: it answers %d.", base, a.status),
			"Start the server, and let the proxy pass requests on to "+e.Config.Addr+".")
	case !isReader:
		e.problem(check, fmt.Sprintf("What answers at %s is no reader (%d).", base, a.status), "Let the proxy pass "+
			"on all paths, /healthz among them, or correct RURI_BASE_URL.")
	default:
		e.ok(check, "The reader answers at %s.", base)
		e.proxy(u, h)
		e.page(ctx, base, h)
	}
}

// proxy looks whether the server saw this machine's address, or the proxy's.
func (e *examination) proxy(base *url.URL, h health) {
	ip, err := netip.ParseAddr(h.Client)
	if err != nil || !ip.IsLoopback() {
		return
	}
	if host,
		err := netip.ParseAddr(base.Hostname()); base.Hostname() == "localhost" || err == nil && host.IsLoopback() {
		if base.Scheme == "http" {
			return // without a proxy
		}
	}
	for _, n := range e.Config.Proxies {
		if n.Contains(ip) {
			e.warn("proxy", "The proxy does not say whom it asks for: all people seem to come from "+h.Client+", and "+
				"share one limit of requests.", "Let it send X-Forwarded-For (nginx: proxy_set_header "+
				"X-Forwarded-For $proxy_add_x_forwarded_for).")
			return
		}
	}
	e.warn("proxy", "The server does not believe the proxy: all people seem to come from "+h.Client+", and share one "+
		"limit of requests.", "Set RURI_PROXIES to the proxy's network: "+netip.PrefixFrom(ip, ip.BitLen()).String())
}

var script = regexp.MustCompile(`<script[^>]* src="([^"]+)"`)

// page looks whether the page is there, whole, and that of the server's version where this program is of it.
func (e *examination) page(ctx context.Context, base string, h health) {
	do := "Build with the page (make build) and start the server anew; on AWS: make deploy"
	a, err := e.get(ctx, base+"/")
	m := script.FindSubmatch(a.body)
	if err != nil || a.status != http.StatusOK || m == nil {
		e.problem("page", fmt.Sprintf("There is no page at %s/ (%d).", base, a.status), do)
		return
	}
	src := string(m[1])
	if strings.HasPrefix(src, "/") {
		if u, err := url.Parse(base); err == nil {
			src = u.Scheme + "://" + u.Host + src
		}
	} else {
		src = base + "/" + strings.TrimPrefix(src, "./")
	}
	js, err := e.get(ctx, src)
	if err != nil || js.status != http.StatusOK || !strings.Contains(js.header.Get("Content-Type"), "javascript") {
		e.problem("page", fmt.Sprintf("The page at %s/ is not whole: %s is missing (%d).", base, src, js.status), do)
		return
	}
	own, err := fs.ReadFile(webui.Embedded(), "index.html")
	if mine := script.FindSubmatch(own); err == nil && mine != nil && h.Version == e.Version &&
		!bytes.HasSuffix(m[1], mine[1]) { // before it may be the path of the base URL
		e.problem("page", "The page at "+base+"/ is not that of version "+h.Version+", which the server has.", do)
		return
	}
	e.ok("page", "The page is there.")
}
