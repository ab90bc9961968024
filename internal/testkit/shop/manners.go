package shop

import (
	"net/http"
	"slices"
	"time"
)

// Visit is a request.
type Visit struct {
	At        time.Time
	Path      string
	Status    int // 0 = it was not answered
	HasCookie bool
}

// Visits returns all requests until now.
func (s *Shop) Visits() []Visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.visits)
}

// Manners say how politely the shop was crawled.
type Manners struct {
	// MinGap is the shortest time between two requests for pages; 0 if there were less than two. robots.txt does not
	// count.
	MinGap time.Duration
	// The most requests within any hour and any day, all of them.
	MostInHour, MostInDay int
	// MostRobots is how often robots.txt was read within any day.
	MostRobots int
	Cookies    int // requests with a cookie
	// AfterForbidden is how many pages were requested after the first 403.
	AfterForbidden int
}

// Manners returns how politely the shop was crawled until now.
func (s *Shop) Manners() Manners {
	var all, pages, robots []time.Time
	var m Manners
	isForbidden := false
	for _, v := range s.Visits() {
		all = append(all, v.At)
		if v.HasCookie {
			m.Cookies++
		}
		if v.Path == "/robots.txt" {
			robots = append(robots, v.At)
			continue
		}
		pages = append(pages, v.At)
		if isForbidden {
			m.AfterForbidden++
		}
		isForbidden = isForbidden || v.Status == http.StatusForbidden
	}
	for i := 1; i < len(pages); i++ {
		if gap := pages[i].Sub(pages[i-1]); i == 1 || gap < m.MinGap {
			m.MinGap = gap
		}
	}
	m.MostInHour, m.MostInDay, m.MostRobots = most(all, time.Hour), most(all, 24*time.Hour), most(robots, 24*time.Hour)
	return m
}

// most returns the most times that lie within a span of less than d.
func most(times []time.Time, d time.Duration) (n int) {
	from := 0
	for i := range times {
		for times[i].Sub(times[from]) >= d {
			from++
		}
		n = max(n, i-from+1)
	}
	return n
}
