// Package metrics counts what one process does, in memory. Set has the counters by name; text.go writes them for
// Prometheus, emf.go for CloudWatch. docs/run/monitoring.md explains every name.
package metrics

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Set is the counters of a process. It is safe for concurrent use.
type Set struct {
	mu       sync.Mutex
	counters map[string]map[string]float64 // by name, then by the label's value
	latency  histogram
	// What EMF has reported already.
	reported   map[string]float64
	reportedBy map[string]map[string]float64 // by name and label value
}

// Names of the counters. Those of fetches are required by the source documents (G-45).
const (
	FetchSuccess  = "fetch_success_count"
	FetchFail     = "fetch_fail_count"
	ParseFail     = "parse_fail_count"
	HTTPStatus    = "http_status_count"
	FetchLatency  = "fetch_latency"
	ItemsUpserted = "items_upserted_count"
	NotModified   = "fetch_not_modified_count"
	FetchBytes    = "fetch_bytes_count"
	CacheHit      = "cache_hit_count"
	CacheMiss     = "cache_miss_count"
	Requests      = "api_request_count"
	Runs          = "run_count"
)

// description is the help text of a counter, and its label.
type description struct{ label, help string }

var described = map[string]description{
	FetchSuccess:  {"", "Polls that a publisher answered with a feed, or with 304."},
	FetchFail:     {"reason", "Polls that failed before there was a feed to read, by code."},
	ParseFail:     {"", "Polls whose answer could not be read as a feed."},
	HTTPStatus:    {"status_code", "Answers of publishers by status."},
	FetchLatency:  {"", "Seconds from the start of a request until its answer was read, redirects included."},
	ItemsUpserted: {"", "New items stored."},
	NotModified:   {"", "Polls answered with 304."},
	FetchBytes:    {"", "Bytes of bodies as they came over the wire."},
	CacheHit:      {"", "Opened items that were in memory, or in the cache of the table."},
	CacheMiss:     {"", "Opened items whose feed had to be read."},
	Requests:      {"status", "Requests that the API answered, by class of status."},
	Runs:          {"kind", "Runs of the crawler."},
}

// New returns a set with all counters at zero.
func New() *Set {
	s := &Set{counters: map[string]map[string]float64{}, latency: newHistogram()}
	for name, d := range described {
		s.counters[name] = map[string]float64{}
		if d.label == "" {
			s.counters[name][""] = 0 // it exists before its first count, so that rates can be computed
		}
	}
	delete(s.counters, FetchLatency)
	return s
}

// Add adds n to a counter; value is that of its label, "" without one.
func (s *Set) Add(name, value string, n float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.counters[name]
	if m == nil {
		panic("metrics: unknown counter " + name)
	}
	if _, known := m[value]; !known && len(m) >= maxValues {
		value = "other"
	}
	m[value] += n
}

// maxValues bounds a label, whatever publishers send.
const maxValues = 100

// Latency counts the duration of a fetch.
func (s *Set) Latency(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency.observe(d.Seconds())
}

// Family is one metric with its samples, for counters outside of a Set (the table's meter).
type Family struct {
	Name, Help, Label string
	Samples           map[string]float64
}

// families returns the counters sorted by name.
func (s *Set) families() []Family {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Family
	for _, name := range slices.Sorted(maps.Keys(s.counters)) {
		out = append(out, Family{Name: name, Help: described[name].help, Label: described[name].label,
			Samples: maps.Clone(s.counters[name])})
	}
	return out
}

// bounds of the latency's buckets, in seconds: the deadline of a request is ten.
var bounds = []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

type histogram struct {
	buckets []float64 // not cumulative; the last is above all bounds
	sum     float64
}

func newHistogram() histogram { return histogram{buckets: make([]float64, len(bounds)+1)} }

func (h *histogram) observe(v float64) {
	i, _ := slices.BinarySearch(bounds, v)
	h.buckets[i]++
	h.sum += v
}
