package simulate

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
)

// bookmarks is the provider of bookmark counts. Three in ten pages are bookmarked; half of the bookmarks come within
// half a day.
type bookmarks struct {
	now         func() time.Time
	seen        map[string]time.Time // when a page was first asked for
	calls, urls float64
}

const (
	bookmarksHost = "https://bookmark.hatenaapis.com/"
	bookmarked    = 0.3
	halfOfThem    = 12 * time.Hour
)

// answer answers a call as Hatena does: without the pages that have no bookmarks.
func (b *bookmarks) answer(address string) (*fetch.Response, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	asked := u.Query()["url"]
	b.calls++
	b.urls += float64(len(asked))
	found := map[string]int{}
	for _, page := range asked {
		if n := b.count(page); n > 0 && strings.HasPrefix(page, "https:") {
			found[page] = n
		}
	}
	body, err := json.Marshal(found)
	return &fetch.Response{Status: 200, FinalURL: address, ContentType: "application/json", Body: body}, err
}

func (b *bookmarks) count(page string) int {
	first, ok := b.seen[page]
	if !ok {
		first = b.now()
		b.seen[page] = first
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(page))
	share := float64(h.Sum64()>>11) / (1 << 53)
	if share >= bookmarked {
		return 0
	}
	most := 1 - 8*math.Log(1-share/bookmarked) // most pages have few
	return int(math.Ceil(most * (1 - math.Exp2(-float64(b.now().Sub(first)+time.Hour)/float64(halfOfThem)))))
}
