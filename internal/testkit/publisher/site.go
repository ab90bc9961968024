package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// site is the publisher's whole state: how far each growing feed has grown, and which slow feeds wait.
type site struct {
	payloads []payload

	mu    sync.Mutex
	grown map[string]int
	gates map[string]*gate
}

// gate holds requests for a slow feed until the test lets them go.
type gate struct {
	open    chan struct{}
	waiting int
}

func newSite() *site {
	return &site{grown: map[string]int{}, gates: map[string]*gate{}}
}

// handler serves, besides the fixed feeds of documents():
//
//	GET  /grow/{name}.xml       a feed that begins with three items
//	POST /tick?feed=NAME&n=1    gives it more
//	GET  /status/{code}         an answer with this status and no feed
//	GET  /slow/{name}.xml       a feed that comes only when it is let go
//	GET  /held?feed=NAME        how many requests it holds
//	POST /release?feed=NAME     lets it go, from then on
//	GET  /corpus/               which feeds of attack strings there are
//	GET  /corpus/{n}.json       one of them
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	for path, d := range documents() {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			send(w, r, d.contentType, d.body("http://"+r.Host))
		})
	}
	mux.HandleFunc("GET /grow/{name}", s.grow)
	mux.HandleFunc("POST /tick", s.tick)
	mux.HandleFunc("GET /status/{code}", status)
	mux.HandleFunc("GET /slow/{name}", s.slow)
	mux.HandleFunc("GET /held", s.held)
	mux.HandleFunc("POST /release", s.release)
	mux.HandleFunc("GET /corpus/{$}", s.corpusIndex)
	mux.HandleFunc("GET /corpus/{name}", s.corpusFeed)
	return mux
}

// send answers with a validator, and with 304 to whom has this body already.
func send(w http.ResponseWriter, r *http.Request, contentType, body string) {
	sum := sha256.Sum256([]byte(body))
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write([]byte(body))
}

func sendJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

const firstItems = 3

func (s *site) grow(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimSuffix(r.PathValue("name"), ".xml")
	s.mu.Lock()
	n := firstItems + s.grown[name]
	s.mu.Unlock()
	send(w, r, rssType, growing(name, n).rss("http://"+r.Host))
}

func (s *site) tick(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil {
		n = 1
	}
	name := r.URL.Query().Get("feed")
	s.mu.Lock()
	s.grown[name] += n
	items := firstItems + s.grown[name]
	s.mu.Unlock()
	sendJSON(w, map[string]int{"items": items})
}

func status(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(r.PathValue("code"))
	if err != nil || code < 400 || code > 599 {
		code = http.StatusNotFound
	}
	http.Error(w, fmt.Sprintf("%d %s", code, http.StatusText(code)), code)
}

func (s *site) gate(name string) *gate {
	g := s.gates[name]
	if g == nil {
		g = &gate{open: make(chan struct{})}
		s.gates[name] = g
	}
	return g
}

func (s *site) slow(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimSuffix(r.PathValue("name"), ".xml")
	s.mu.Lock()
	g := s.gate(name)
	g.waiting++
	s.mu.Unlock()
	select {
	case <-g.open:
		send(w, r, rssType, growing(name, firstItems).rss("http://"+r.Host))
	case <-r.Context().Done():
	}
	s.mu.Lock()
	g.waiting--
	s.mu.Unlock()
}

func (s *site) held(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n := s.gate(r.URL.Query().Get("feed")).waiting
	s.mu.Unlock()
	sendJSON(w, map[string]int{"held": n})
}

func (s *site) release(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	g := s.gate(r.URL.Query().Get("feed"))
	select {
	case <-g.open:
	default:
		close(g.open)
	}
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}
