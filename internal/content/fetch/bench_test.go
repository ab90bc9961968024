package fetch

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// canned is the smallest server there is, so that the figures are those of the client.
func canned(b *testing.B, answer string) string {
	l := listen(b)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answerAll(conn, []byte(answer))
		}
	}()
	return "http://" + l.Addr().String() + "/feed.xml"
}

func answerAll(conn net.Conn, answer []byte) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) <= 2 {
				break
			}
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// cpu reports the processor time of the whole process for each operation: client, canned server and kernel.
// On a busy machine it is steadier than the clock.
func cpu(b *testing.B) func() {
	now := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	start := now()
	return func() { b.ReportMetric(float64(now()-start)/float64(b.N), "cpu-ns/op") }
}

const unchanged = "HTTP/1.1 304 Not Modified\r\nDate: Sun, 01 Mar 2026 12:00:00 GMT\r\nETag: \"33a64df5\"\r\n" +
	"Cache-Control: max-age=900\r\nLast-Modified: Sat, 28 Feb 2026 12:00:00 GMT\r\n%s\r\n"

// BenchmarkNotModified is an unchanged poll: ours against a bare http.Client with the same headers, over a
// connection kept alive and over a new one.
func BenchmarkNotModified(b *testing.B) {
	for _, c := range []struct{ name, end string }{{"kept", ""}, {"new", "Connection: close\r\n"}} {
		url := canned(b, fmt.Sprintf(unchanged, c.end))
		b.Run(c.name+"/ruri", func(b *testing.B) {
			client := loopback(b, func(o *Options) { o.HostLock = new(HostLocks) })
			req := Request{URL: url, ETag: `"33a64df5"`, LastModified: "Sat, 28 Feb 2026 12:00:00 GMT", Subscribers: 1}
			b.ReportAllocs()
			defer cpu(b)()
			for b.Loop() {
				resp, err := client.Do(b.Context(), req)
				if err != nil || !resp.NotModified {
					b.Fatal(err)
				}
				resp.Release()
			}
		})
		b.Run(c.name+"/bare", func(b *testing.B) {
			client := &http.Client{Transport: &http.Transport{}, Timeout: DefaultTimeout}
			b.ReportAllocs()
			defer cpu(b)()
			for b.Loop() {
				req, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
				req.Header.Set("User-Agent", "RuriReader/dev")
				req.Header.Set("Accept", AcceptFeeds)
				req.Header.Set("Accept-Encoding", "gzip, br, zstd")
				req.Header.Set("If-None-Match", `"33a64df5"`)
				req.Header.Set("If-Modified-Since", "Sat, 28 Feb 2026 12:00:00 GMT")
				resp, err := client.Do(req)
				if err != nil || resp.StatusCode != 304 {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
}

// BenchmarkBody is a changed feed of 30 KB, gzip on the wire, decoded with the wire bytes kept.
func BenchmarkBody(b *testing.B) {
	feed := []byte(strings.Repeat("<item><title>Some news of the day</title><guid>x</guid></item>\n", 480))
	for _, coding := range []string{"", "gzip", "br", "zstd"} {
		packed := feed
		head := "HTTP/1.1 200 OK\r\n"
		if coding != "" {
			packed = encode(coding, feed)
			head += "Content-Encoding: " + coding + "\r\n"
		}
		url := canned(b, fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(packed), packed))
		b.Run("coding="+coding, func(b *testing.B) {
			client := loopback(b)
			b.SetBytes(int64(len(feed)))
			b.ReportAllocs()
			defer cpu(b)()
			for b.Loop() {
				resp, err := client.Do(b.Context(), Request{URL: url})
				if err != nil || !bytes.Equal(resp.Body, feed) {
					b.Fatal(err)
				}
				resp.Release()
			}
		})
	}
}
