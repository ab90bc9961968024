package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// ask is one request.
type ask struct {
	method, path, body string
	tag                string // of If-None-Match
	gzip               bool
	app                bool // with the app password
}

// answer is what came back. Its body is there only if it was wanted, as it came.
type answer struct {
	status, size int
	tag          string
	body         []byte
}

// visitor makes one request after another over one connection. It costs far less than an http.Client, which would
// compete with the server for the same processors: no goroutines, no inflating, bodies counted and dropped.
type visitor struct {
	number, of  int // of the visitors at once
	token, addr string
	password    string // of an app
	conn        net.Conn
	in          *bufio.Reader
	out         []byte

	made   int    // requests of the operation so far
	tag    string // kept between requests, for the operations that need them
	cursor string
	undo   string
}

// asksTime bounds one request: longer than the server takes before it gives up.
const asksTime = 90 * time.Second

func newVisitor(addr, token string, number, of int) (*visitor, error) {
	conn, err := net.Dial("tcp4", addr)
	if err != nil {
		return nil, err
	}
	return &visitor{number: number, of: of, token: token, addr: addr, conn: conn,
		in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (v *visitor) close() { _ = v.conn.Close() }

// do makes a request and reads the whole answer.
func (v *visitor) do(q ask, keep bool) (a answer, err error) {
	if err := v.conn.SetDeadline(time.Now().Add(asksTime)); err != nil {
		return a, err
	}
	v.out = v.request(v.out[:0], q)
	if _, err = v.conn.Write(v.out); err != nil {
		return a, err
	}
	resp, err := http.ReadResponse(v.in, nil)
	if err != nil {
		return a, fmt.Errorf("%s %s: %w", q.method, q.path, err)
	}
	defer resp.Body.Close()
	a.status, a.tag = resp.StatusCode, resp.Header.Get("ETag")
	if keep || a.status >= http.StatusBadRequest {
		a.body, err = io.ReadAll(resp.Body)
		a.size = len(a.body)
		return a, err
	}
	n, err := io.Copy(io.Discard, resp.Body)
	a.size = int(n)
	return a, err
}

func (v *visitor) request(b []byte, q ask) []byte {
	b = append(b, q.method...)
	b = append(b, ' ')
	b = append(b, q.path...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, v.addr...)
	b = append(b, "\r\nAuthorization: Bearer "...)
	if q.app {
		b = append(append(append(b, v.password...), "\r\nX-Auth-Token: "...), v.password...)
	} else {
		b = append(b, v.token...)
	}
	if q.gzip {
		b = append(b, "\r\nAccept-Encoding: gzip"...)
	}
	if q.tag != "" {
		b = append(b, "\r\nIf-None-Match: "...)
		b = append(b, q.tag...)
	}
	if q.method != http.MethodGet {
		b = append(b, "\r\nContent-Type: application/json\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(q.body)), 10)
	}
	b = append(b, "\r\n\r\n"...)
	return append(b, q.body...)
}
