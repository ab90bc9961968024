package extract

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "feeds", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func scanFixture(t testing.TB, name, base string) *Feed {
	t.Helper()
	f, err := Scan(fixture(t, name), "", base, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func utc(v string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, v)
	if err != nil {
		panic(err)
	}
	return t
}

// stripHashes leaves what a table can state.
func stripHashes(it Item) Item {
	it.Identity, it.Within, it.Content, it.Start, it.End = 0, 0, 0, 0, 0
	return it
}

//
func TestRSS2Fixture(t *testing.T) {
	t.Parallel()
	f := scanFixture(t, "rss2.rss", "https://salt.example/feed")
	items := f.Items
	f.Items, f.Channel, f.itemsStart, f.itemsEnd = nil, 0, 0, 0
	want := &Feed{
		Format: RSS, Title: "Salt & Stone", Description: "Notes on walls", Link: "https://salt.example/",
		Language: "en-GB",
		Icon:     "https://salt.example/icon.png", Hub: "https://hub.example/", Self: "https://salt.example/feed",
		NewURL: "https://new.salt.example/feed", Author: "Eddie Reed", Updated: utc("2026-04-06T08:00:00Z"),
		TTL: 90 * time.Minute, SkipHours: 1<<0 | 1<<3, SkipDays: 1<<0 | 1<<6,
	}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("feed\n got %+v\nwant %+v", f, want)
	}
	wantItems := []Item{
		{
			GUID: "wall-1", Title: `Dry "stone" walls & gates`, Link: "https://salt.example/posts/1?a=1&b=2",
			Author:    "Ann Mason, Bo Hewer",
			Published: utc("2026-04-05T08:30:00Z"), Categories: []string{"walls", "stone & lime"},
			Enclosures: []Enclosure{{"https://salt.example/a.mp3", "audio/mpeg", 12345},
				{"https://salt.example/v.mp4", "video/mp4", 0}},
			Image: "https://salt.example/w.jpg", Snippet: "A first wall été",
		},
		{Title: "No guid, no date", Link: "https://salt.example/posts/2", Image: "https://salt.example/t.jpg"},
		{
			GUID: "https://salt.example/posts/3", Link: "https://salt.example/posts/3",
			Published: utc("2026-04-01T00:00:00Z"),
			Updated:   utc("2026-04-01T00:00:00Z"), Snippet: "Only a text without a title.",
		},
	}
	for i, w := range wantItems {
		if got := stripHashes(items[i]); !reflect.DeepEqual(got, w) {
			t.Errorf("item %d\n got %+v\nwant %+v", i, got, w)
		}
	}
}

//
func TestAtomFixture(t *testing.T) {
	t.Parallel()
	f := scanFixture(t, "atom10.atom", "https://feeds.example/kite")
	items := f.Items
	f.Items, f.Channel, f.itemsStart, f.itemsEnd = nil, 0, 0, 0
	want := &Feed{
		Format: Atom, Title: "凧 Kite", Description: "空の話", Link: "https://kite.example/blog/", Language: "ja",
		Icon: "https://kite.example/favicon.png", Hub: "https://hub.example/",
		Self:   "https://kite.example/blog/feed.atom",
		Author: "風間", Updated: utc("2026-05-02T00:00:00Z"),
	}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("feed\n got %+v\nwant %+v", f, want)
	}
	wantItems := []Item{
		{
			GUID: "tag:kite.example,2026:1", Title: "Wind & string",
			Link: "https://kite.example/blog/1.html", Author: "風間",
			Published: utc("2026-05-01T12:00:00.5Z"), Updated: utc("2026-05-02T00:00:00Z"),
			Categories: []string{"Wind", "kites"},
			Enclosures: []Enclosure{{"https://kite.example/blog/1.pdf", "application/pdf", 99}},
			Image:      "https://kite.example/blog/img/1.png", Snippet: "1 < 2 and <b> stays", Lang: "en",
		},
		{
			GUID: "tag:kite.example,2026:2", Title: "Literal <b>", Link: "https://other.example/x/2", Author: "Guest",
			Published: utc("2026-04-30T00:00:00Z"), Updated: utc("2026-04-30T00:00:00Z"), Undated: true,
			Snippet: "段落のはじめ。",
		},
	}
	for i, w := range wantItems {
		if got := stripHashes(items[i]); !reflect.DeepEqual(got, w) {
			t.Errorf("item %d\n got %+v\nwant %+v", i, got, w)
		}
	}
}

//
func TestOtherFixtures(t *testing.T) {
	t.Parallel()
	old := scanFixture(t, "atom03.atom", "http://old.example/atom.xml")
	if old.Title != "Café" || old.Description != "Old feed" || old.Items[0].Snippet != "Turnips" ||
		!old.Items[0].Published.Equal(utc("2004-01-01T05:00:00Z")) {
		t.Errorf("Atom 0.3: %+v", old)
	}
	rdf := scanFixture(t, "rss1.rdf", "http://rdf.example/rss")
	want := Item{
		Title: "一番", Link: "http://rdf.example/1", Author: "山田", Categories: []string{"日記"},
		Published: utc("2026-03-03T20:06:07Z"), Updated: utc("2026-03-03T20:06:07Z"), Snippet: "本文の要約",
	}
	if got := stripHashes(rdf.Items[0]); rdf.Format != RDF || rdf.Icon != "http://rdf.example/i.png" ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("RDF: %+v\n got %+v\nwant %+v", rdf, got, want)
	}
	j := scanFixture(t, "feed.json", "https://json.example/feed.json")
	if j.Title != "JSON & Co" || j.Hub != "https://hub.example/" || j.Author != "Joe, Sue" ||
		!j.Updated.Equal(utc("2026-02-04T00:00:00Z")) {
		t.Errorf("JSON: %+v", j)
	}
	wantItems := []Item{
		{
			GUID: "7", Title: "Seven <7>", Link: "https://json.example/7", Author: "Joe, Sue",
			Published:  utc("2026-02-03T04:05:06Z"),
			Categories: []string{"a", "b"}, Enclosures: []Enclosure{{"https://json.example/7.mp3", "audio/mpeg", 77}},
			Image: "https://json.example/7.png", Snippet: "Hi 😀",
		},
		{
			GUID: "8", Author: "Solo", Published: utc("2026-02-04T00:00:00Z"),
			Updated: utc("2026-02-04T00:00:00Z"), Undated: true,
			Image: "https://json.example/8.png", Snippet: "Plain & <simple>",
		},
	}
	for i, w := range wantItems {
		if got := stripHashes(j.Items[i]); !reflect.DeepEqual(got, w) {
			t.Errorf("JSON item %d\n got %+v\nwant %+v", i, got, w)
		}
	}
}
