package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestReadLater: any page can be kept, with its text as far as that can be read, and leaves like any labelled item.
func TestReadLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /closed")
		case "/article":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html lang=en><head><title>A long walk</title></head><body><article><h1>A long walk</h1>"+
				strings.Repeat("<p>A sentence of some length, with a comma, and another one behind it.</p>", 12)+
				"</article></body></html>")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	type saved struct {
		ID, LabelID, State string
		Message            *string
	}
	save := func(path string) (out saved) {
		t.Helper()
		w.want(w.call("POST", "/api/read-later", map[string]string{"url": site.URL + path}, &out), 201)
		return out
	}
	article := save("/article#part")
	if article.State != "ok" || article.Message != nil {
		t.Fatalf("%+v", article)
	}
	if again := save("/article"); again.ID != article.ID || again.LabelID != article.LabelID {
		t.Errorf("saved twice: %+v, %+v", article, again)
	}
	closed, gone := save("/closed"), save("/gone")
	if closed.State != "robots" || gone.State != "failed" || closed.Message == nil || gone.Message == nil {
		t.Errorf("%+v, %+v", closed, gone)
	}
	w.want(w.call("POST", "/api/read-later", map[string]string{"url": "ftp://example.org/"}, nil), 400)

	var labels struct {
		Labels []struct {
			ID, Name    string
			IsReadLater bool
		}
	}
	w.want(w.call("PUT", "/api/read-later", nil, &labels), 200)
	if len(labels.Labels) != 1 || labels.Labels[0].ID != article.LabelID || !labels.Labels[0].IsReadLater {
		t.Fatalf("%+v", labels)
	}
	list := func() (titles []string) {
		t.Helper()
		var page struct {
			Items []struct {
				ID, Title, Snippet string
				Labels             []string
				IsRead             bool
			}
		}
		w.want(w.call("GET", "/api/items?label="+article.LabelID, nil, &page), 200)
		for _, it := range page.Items {
			titles = append(titles, it.Title)
			if len(it.Labels) != 1 || it.Labels[0] != article.LabelID {
				t.Errorf("labels: %+v", it)
			}
		}
		return titles
	}
	if got := strings.Join(list(), "|"); !strings.Contains(got, "A long walk") || !strings.Contains(got, "/gone") ||
		strings.Count(got, "|") != 2 {
		t.Errorf("listed: %s", got)
	}
	var one struct {
		Item struct{ ContentHTML, FeedTitle, URL string }
	}
	w.want(w.call("GET", "/api/items/"+article.ID, nil, &one), 200)
	if !strings.Contains(one.Item.ContentHTML, "with a comma") {
		t.Errorf("%+v", one)
	}
	w.want(w.call("PUT", "/api/items/"+gone.ID+"/labels", map[string]any{"labels": []string{}}, nil), 200)
	if got := list(); len(got) != 2 {
		t.Errorf("after one has left: %q", got)
	}
}
