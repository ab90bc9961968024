package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// payload is an attack string of the corpus.
type payload struct {
	ID      string `json:"id"`
	Live    bool   `json:"live"`
	Payload string `json:"payload"`
}

// chunk is how many payloads a feed carries: as many items as the reader keeps of one body.
const chunk = 200

// readPayloads gives the live ones, in the order of the files.
func readPayloads(corpus string) ([]payload, error) {
	files, err := filepath.Glob(filepath.Join(corpus, "sanitize", "payloads-*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no sanitize/payloads-*.json in %s", corpus)
	}
	var live []payload
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var all []payload
		if err := json.Unmarshal(data, &all); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, p := range all {
			if p.Live {
				live = append(live, p)
			}
		}
	}
	return live, nil
}

func (s *site) corpusIndex(w http.ResponseWriter, _ *http.Request) {
	feeds := []string{}
	for i := 0; i < len(s.payloads); i += chunk {
		feeds = append(feeds, fmt.Sprintf("/corpus/%d.json", i/chunk))
	}
	sendJSON(w, map[string]any{"payloads": len(s.payloads), "feeds": feeds})
}

// corpusFeed is a JSON Feed, because JSON carries every character of an attack and XML does not. The
// attack stands where a publisher can put text: body, title, summary, author and tag.
func (s *site) corpusFeed(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimSuffix(r.PathValue("name"), ".json"))
	if err != nil || n < 0 || n*chunk >= len(s.payloads) {
		http.NotFound(w, r)
		return
	}
	items := []map[string]any{}
	for i, p := range s.payloads[n*chunk : min((n+1)*chunk, len(s.payloads))] {
		items = append(items, map[string]any{
			"id": p.ID, "url": "https://payloads.example/" + p.ID, "content_html": p.Payload,
			"title": p.Payload, "summary": p.Payload, "authors": []map[string]string{{"name": p.Payload}},
			"tags":           []string{p.Payload},
			"date_published": newest.Add(time.Duration(-i) * time.Minute).Format(time.RFC3339),
		})
	}
	feed, err := json.Marshal(map[string]any{
		"version": "https://jsonfeed.org/version/1.1", "title": fmt.Sprintf("Attacks %d", n),
		"home_page_url": "https://payloads.example/", "items": items,
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, r, "application/feed+json", string(feed))
}
