package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/ruri-reader/ruri/internal/clock"
)

// raw answers every request with the same bytes, then closes.
func raw(t testing.TB, answer string) string {
	t.Helper()
	return rawFunc(t, func(conn net.Conn) { _, _ = io.WriteString(conn, answer) })
}

// rawFunc hands each connection over once the request has been read.
func rawFunc(t testing.TB, f func(net.Conn)) string {
	t.Helper()
	l := listen(t)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					f(conn)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

// drip sends one byte a time until the client has gone.
func drip(head string) func(net.Conn) {
	return func(conn net.Conn) {
		_, err := io.WriteString(conn, head)
		for err == nil {
			time.Sleep(5 * time.Millisecond)
			_, err = conn.Write([]byte("x"))
		}
	}
}

func endless(head string) func(net.Conn) {
	return func(conn net.Conn) {
		block := bytes.Repeat([]byte("x"), 64<<10)
		_, err := io.WriteString(conn, head)
		for err == nil {
			_, err = conn.Write(block)
		}
	}
}

const okHead = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"

// R-15, G-26
func TestHostileServers(t *testing.T) {
	t.Parallel()
	reset := func(text string) func(net.Conn) {
		return func(conn net.Conn) {
			_, _ = io.WriteString(conn, text)
			_ = conn.(*net.TCPConn).SetLinger(0)
		}
	}
	cookies := strings.Repeat("Set-Cookie: a=0123456789012345678901234567890123456789\r\n", 500)
	for name, c := range map[string]struct {
		serve func(net.Conn)
		brief bool // with a short time limit
		code  string
		body  string
	}{
		"no answer": {serve: func(conn net.Conn) {
			_, _ = io.Copy(io.Discard, conn)
		}, brief: true, code: CodeTimeout},
		"slow headers":     {serve: drip("HTTP/1.1 200 OK\r\nX: "), brief: true, code: CodeTimeout},
		"slow drip":        {serve: drip(okHead + "Content-Length: 2000000\r\n\r\n"), brief: true, code: CodeTimeout},
		"slow drip to end": {serve: drip(okHead + "\r\n"), brief: true, code: CodeTimeout},
		"endless":          {serve: endless(okHead + "\r\n"), code: CodeTooLarge},
		"endless header":   {serve: endless("HTTP/1.1 200 OK\r\nX: "), code: CodeBadResponse},
		"announced size":   {serve: drip(okHead + "Content-Length: 5242881\r\n\r\n"), code: CodeTooLarge},
		"length long": {serve: text(okHead + "Content-Length: 5000\r\n\r\n" + strings.Repeat("x", 1000)),
			code: CodeTruncatedBody},
		"length short": {serve: text(okHead + "Content-Length: 3\r\n\r\nfeedmore"), body: "fee"},
		"two lengths": {serve: text(okHead + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nfeed"),
			code: CodeBadResponse},
		"length garbage": {serve: text(okHead + "Content-Length: x\r\n\r\nfeed"), code: CodeBadResponse},
		"chunked cut": {serve: text(okHead + "Transfer-Encoding: chunked\r\n\r\n4\r\nfeed\r\n"),
			code: CodeTruncatedBody},
		"chunk cut": {serve: text(okHead + "Transfer-Encoding: chunked\r\n\r\n40\r\nfeed"),
			code: CodeTruncatedBody},
		"chunk size wrong": {serve: text(okHead + "Transfer-Encoding: chunked\r\n\r\nzz\r\nfeed\r\n"),
			code: CodeBadResponse},
		"reset midway": {serve: reset(okHead + "Content-Length: 5000\r\n\r\nhalf"), code: CodeConnectionReset},
		"cookie flood": {serve: text(okHead + cookies + "Content-Length: 4\r\n\r\nfeed"), body: "feed"},
		"header flood": {serve: text(okHead + strings.Repeat(cookies, 20) + "\r\nfeed"), code: CodeBadResponse},
		"early hints": {serve: text("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + okHead + "\r\nfeed"),
			body: "feed"},
		"upgrade": {
			serve: text("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
			code:  CodeBadResponse},
		"not http":          {serve: text("SSH-2.0-OpenSSH_9.6\r\n"), code: CodeBadResponse},
		"status of letters": {serve: text("HTTP/1.1 abc OK\r\n\r\n"), code: CodeBadResponse},
		"closed in headers": {serve: text("HTTP/1.1 200 OK\r\nX: y\r\n"), code: CodeConnectionReset},
		"empty":             {serve: text(okHead + "Content-Length: 0\r\n\r\n")},
		"empty gzip":        {serve: text(okHead + "Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n")},
		"no gzip": {serve: text(okHead + "Content-Encoding: gzip\r\n\r\n<rss version=\"2.0\"/>"),
			body: "<rss version=\"2.0\"/>"},
		"unknown coding":    {serve: text(okHead + "Content-Encoding: compress\r\n\r\nx"), code: CodeBadEncoding},
		"charset as coding": {serve: text(okHead + "Content-Encoding: UTF-8\r\n\r\nfeed"), body: "feed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			url := rawFunc(t, func(conn net.Conn) { asked.Add(1); c.serve(conn) })
			client := loopback(t, func(o *Options) {
				if c.brief {
					o.Timeout = 3 * time.Second // a busy machine answers within it
				}
			})
			resp, err := client.Do(t.Context(), Request{URL: url})
			defer resp.Release()
			if code := codeOf(t, err); code != c.code {
				t.Fatalf("code %q, want %q: %v", code, c.code, err)
			}
			if silent := name == "no answer"; err != nil && err.(*Error).NoResponse != silent {
				t.Errorf("NoResponse %v", !silent)
			}
			if err == nil && string(resp.Body) != c.body {
				t.Errorf("body %q, want %q", resp.Body, c.body)
			}
			if n := asked.Load(); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func text(s string) func(net.Conn) {
	return func(conn net.Conn) { _, _ = io.WriteString(conn, s) }
}

var encoders = map[string]func(io.Writer) io.WriteCloser{
	"gzip":   func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"br":     func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) },
	"zstd": func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		return z
	},
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"Deflate": func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 6); return z },
}

func encode(coding string, in []byte) []byte {
	var b bytes.Buffer
	w := encoders[coding](&b)
	_, _ = w.Write(in)
	_ = w.Close()
	return b.Bytes()
}

func TestContentCodings(t *testing.T) {
	t.Parallel()
	feed := []byte(strings.Repeat("<item>ニュース and more news</item>\n", 9000)) // larger than the first buffer
	for coding := range encoders {
		packed := encode(coding, feed)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			n := len(packed)
			if r.URL.Path == "/cut" {
				n /= 2
			}
			_, _ = w.Write(packed[:n])
		})
		c := loopback(t)
		for range 3 { // the decoders come from the pool
			r := get(t, c, Request{URL: url})
			if !bytes.Equal(r.Body, feed) || r.WireBytes != int64(len(packed)) {
				t.Errorf("%s: %d bytes of %d, %d on the wire", coding, len(r.Body), len(feed), r.WireBytes)
			}
			gz := strings.HasSuffix(coding, "gzip")
			if gz != bytes.Equal(r.Wire, packed) || gz != (r.WireEncoding == "gzip") {
				t.Errorf("%s: kept %d bytes as %q", coding, len(r.Wire), r.WireEncoding)
			}
			r.Release()
			_, err := c.Do(t.Context(), Request{URL: url + "/cut"})
			if code := codeOf(t, err); code != CodeTruncatedBody {
				t.Errorf("%s cut: %s, %v", coding, code, err)
			}
			_, err = c.Do(t.Context(), Request{URL: url, MaxBytes: int64(len(feed)) - 1})
			if code := codeOf(t, err); code != CodeTooLarge {
				t.Errorf("%s over the limit by one: %s", coding, code)
			}
			get(t, c, Request{URL: url, MaxBytes: int64(len(feed))})
		}
	}
}

//
func TestBombsStopAtTheLimit(t *testing.T) {
	// Not parallel: it watches the memory of the process.
	prefix := `<rss><channel><item><title>a</title></item><description>`
	bombs := map[string][]byte{}
	for _, coding := range []string{"gzip", "br", "zstd", "deflate"} {
		var b bytes.Buffer
		w := encoders[coding](&b)
		_, _ = io.WriteString(w, prefix)
		block := bytes.Repeat([]byte(" "), 1<<20)
		for range 24 {
			_, _ = w.Write(block)
		}
		_ = w.Close()
		bombs[coding] = b.Bytes()
	}
	bombs["gzip, gzip"] = encode("gzip", bombs["gzip"])
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		coding := r.URL.Query().Get("c")
		w.Header().Set("Content-Encoding", coding)
		_, _ = w.Write(bombs[coding])
	})
	c := loopback(t)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, coding := range []string{"gzip", "br", "zstd", "deflate", "gzip,%20gzip"} {
		const want = CodeTooLarge
		_, err := c.Do(t.Context(), Request{URL: url + "/?c=" + coding})
		if code := codeOf(t, err); code != want {
			t.Errorf("%s: %s, want %s: %v", coding, code, want, err)
		}
	}
	runtime.ReadMemStats(&after)
	// All five together, garbage included: decoded in full they would be 24 MiB each.
	// The least is a buffer of 5 MiB grown by doubling and brotli's window of up to 16 MiB.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 96<<20 {
		t.Errorf("%d MiB allocated for five bombs", grown>>20)
	}
	if sent, note := fetched(t, c, serve(t, ok)); !sent {
		t.Errorf("a healthy feed after the bombs: %s", note)
	}
}

func TestLargeWireIsNotKept(t *testing.T) {
	t.Parallel()
	noise := make([]byte, maxWire+1000) // does not compress
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	packed := encode("gzip", noise)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed)
	})
	r := get(t, loopback(t), Request{URL: url})
	if !bytes.Equal(r.Body, noise) || r.Wire != nil || r.WireEncoding != "" || r.WireBytes != int64(len(packed)) {
		t.Errorf("%d bytes, kept %d as %q", len(r.Body), len(r.Wire), r.WireEncoding)
	}
	r.Release()
	r.Release() // harmless
	if r.Body != nil {
		t.Error("body after release")
	}
}

func TestEndlessGzipOfNothing(t *testing.T) {
	t.Parallel()
	empty := encode("gzip", nil) // a member that decodes to nothing, for ever
	url := rawFunc(t, func(conn net.Conn) {
		_, err := io.WriteString(conn, okHead+"Content-Encoding: gzip\r\n\r\n")
		for block := bytes.Repeat(empty, 1000); err == nil; {
			_, err = conn.Write(block)
		}
	})
	_, err := loopback(t).Do(t.Context(), Request{URL: url, MaxBytes: 1 << 20})
	if code := codeOf(t, err); code != CodeTooLarge {
		t.Errorf("%s: %v", code, err)
	}
}

// R-72, C-6
func TestRetriesOnlyWithoutAnswer(t *testing.T) {
	t.Parallel()
	for fails := range 5 {
		t.Run(fmt.Sprint(fails, " hang up first"), func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			n, answered := 0, 0
			url := rawFunc(t, func(conn net.Conn) {
				mu.Lock()
				n++
				turn := n
				mu.Unlock()
				if turn <= fails {
					if turn%2 == 0 {
						_ = conn.(*net.TCPConn).SetLinger(0) // a reset instead of an end
					}
					return
				}
				mu.Lock()
				answered++
				mu.Unlock()
				_, _ = io.WriteString(conn, "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			})
			var pauses []time.Duration
			c := loopback(t, func(o *Options) {
				o.Jitter = func() float64 { return 0.5 }
				o.Sleep = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
			})
			resp, err := c.Do(t.Context(), Request{URL: url})
			mu.Lock()
			defer mu.Unlock()
			want := min(fails, MaxRetries)
			if len(pauses) != want || n != want+1 {
				t.Errorf("%d pauses and %d connections, want %d retries", len(pauses), n, want)
			}
			for i, d := range []time.Duration{150 * time.Millisecond, 600 * time.Millisecond}[:len(pauses)] {
				if pauses[i] != d {
					t.Errorf("pause %v, want %v", pauses[i], d)
				}
			}
			if fails <= MaxRetries {
				if err != nil || resp.Status != 503 || answered != 1 {
					t.Errorf("%v, %+v", err, resp)
				}
				return
			}
			if codeOf(t, err) != CodeConnectionReset || !err.(*Error).NoResponse {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestNetworkFailuresHaveCodes(t *testing.T) {
	t.Parallel()
	l := listen(t)
	url := "http://" + l.Addr().String() + "/"
	_ = l.Close() // nobody listens here any more
	sleeps := 0
	c := loopback(t, func(o *Options) {
		o.Sleep = func(context.Context, time.Duration) error { sleeps++; return nil }
	})
	_, err := c.Do(t.Context(), Request{URL: url})
	if codeOf(t, err) != CodeConnectionRefused || sleeps != MaxRetries || !err.(*Error).NoResponse {
		t.Errorf("%v after %d retries", err, sleeps)
	}
	w := newTestNet(t, http.HandlerFunc(ok))
	_, err = w.client().Do(t.Context(), Request{URL: "http://nowhere.example/"})
	if codeOf(t, err) != CodeDNSFailure || err.(*Error).Host != "nowhere.example" {
		t.Errorf("%v", err)
	}
}

// Who asks for it gets the part of a body that arrived before the connection broke; what came too slowly, or cannot be
// unpacked, is an error all the same.
func TestPartOfABody(t *testing.T) {
	t.Parallel()
	feed := strings.Repeat("<item>text</item>\n", 2000)
	var packed bytes.Buffer
	w := encoders["gzip"](&packed)
	_, _ = io.WriteString(w, feed)
	_ = w.Close()
	long := okHead + "Content-Length: 5000\r\n\r\n"
	for name, c := range map[string]struct {
		serve     func(net.Conn)
		code      string
		part      int // least and
		most      int // most of it that has to be there
		truncated bool
		openEnded bool
	}{
		"length long": {serve: text(long + feed[:1000]), part: 1000, most: 1000, truncated: true},
		"chunked cut": {serve: text(okHead + "Transfer-Encoding: chunked\r\n\r\n4\r\n" + feed[:4] + "\r\n"), part: 4,
			most: 4, truncated: true},
		"gzip cut": {serve: text(okHead + "Content-Encoding: gzip\r\n\r\n" + packed.String()[:packed.Len()-9]),
			part: 1, most: len(feed), truncated: true},
		"nothing at all": {serve: text(long), code: CodeTruncatedBody},
		"slow":           {serve: drip(long), code: CodeTimeout},
		"gzip spoilt": {serve: text(okHead + "Content-Encoding: gzip\r\n\r\n" + packed.String()[:packed.Len()-8] +
			"spoilt!!"), code: CodeBadEncoding},
		"whole":          {serve: text(okHead + "Content-Length: 4\r\n\r\n" + feed[:4]), part: 4, most: 4},
		"without length": {serve: text(okHead + "\r\n" + feed[:4]), part: 4, most: 4, openEnded: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := loopback(t, func(o *Options) {
				if c.code == CodeTimeout {
					o.Timeout = time.Second
				}
			})
			resp, err := client.Do(t.Context(), Request{URL: rawFunc(t, c.serve), KeepPart: true})
			defer resp.Release()
			if c.code != "" {
				if code := codeOf(t, err); code != c.code {
					t.Errorf("%s: %v", code, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			n := len(resp.Body)
			if n < c.part || n > c.most || string(resp.Body) != feed[:n] || resp.Truncated != c.truncated ||
				resp.OpenEnded != c.openEnded || len(resp.Wire) > 0 {
				t.Errorf("%d bytes, truncated %v, open ended %v, %d of the wire", n, resp.Truncated, resp.OpenEnded,
					len(resp.Wire))
			}
		})
	}
}

// A server's own fault is asked about twice more, a second and two later, as far as the time allows; what asks for
// fewer visits never is. R-72, C-6
func TestRetriesAfterServerErrors(t *testing.T) {
	t.Parallel()
	s := time.Second
	for name, c := range map[string]struct {
		answers    []int // the last one again and again
		retryAfter string
		takes      time.Duration // each answer
		plain      bool          // nobody waits
		want       int
		pauses     []time.Duration
	}{
		"once":                  {answers: []int{500, 200}, want: 200, pauses: []time.Duration{s}},
		"twice":                 {answers: []int{502, 504, 200}, want: 200, pauses: []time.Duration{s, 2 * s}},
		"for good":              {answers: []int{500}, want: 500, pauses: []time.Duration{s, 2 * s}},
		"then another":          {answers: []int{500, 404}, want: 404, pauses: []time.Duration{s}},
		"then too much":         {answers: []int{500, 503}, want: 503, pauses: []time.Duration{s}},
		"too many requests":     {answers: []int{429}, want: 429},
		"unavailable":           {answers: []int{503}, want: 503},
		"other faults":          {answers: []int{501}, want: 501},
		"with a time":           {answers: []int{500}, retryAfter: "1", want: 500},
		"with an unclear one":   {answers: []int{500}, retryAfter: "soon", want: 500},
		"slow":                  {answers: []int{500}, takes: 4 * s, want: 500, pauses: []time.Duration{s}},
		"slower":                {answers: []int{500}, takes: 9 * s, want: 500},
		"where nobody can wait": {answers: []int{500}, plain: true, want: 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clk := clock.NewManual(time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC))
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				status := c.answers[min(asked, len(c.answers)-1)]
				asked++
				clk.Add(c.takes)
				if c.retryAfter != "" {
					w.Header().Set("Retry-After", c.retryAfter)
				}
				w.WriteHeader(status)
			}))
			defer server.Close()
			var locks HostLocks
			var pauses []time.Duration
			client := loopback(t, func(o *Options) {
				o.Clock, o.HostLock = clk, &locks
				o.Sleep = func(_ context.Context, d time.Duration) error {
					pauses = append(pauses, d)
					clk.Add(d)
					return nil
				}
			})
			waits := 0
			r := Request{URL: server.URL, Idle: func(wait func() error) error {
				waits++
				// The host is not held while it is left alone.
				if err := locks.Lock(t.Context(), strings.TrimPrefix(server.URL, "http://")); err != nil {
					t.Error(err)
				}
				locks.Unlock(strings.TrimPrefix(server.URL, "http://"))
				return wait()
			}}
			if c.plain {
				r.Idle = nil
			}
			resp := get(t, client, r)
			if resp.Status != c.want || !slices.Equal(pauses, c.pauses) || waits != len(c.pauses) ||
				asked != len(c.pauses)+1 {
				t.Errorf("status %d after %d requests and pauses of %v", resp.Status, asked, pauses)
			}
			if len(resp.Faults) != len(c.pauses) || len(resp.Faults) > 0 && resp.Faults[0] != c.answers[0] {
				t.Errorf("told of %v before", resp.Faults)
			}
		})
	}
}
