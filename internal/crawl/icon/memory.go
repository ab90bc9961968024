package icon

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Twenty feeds of one host are added in twenty messages, and to several processes; the host is asked once for its
// robots.txt, its front page and its icon. So what it said lies in the table for a while, by address.

// rememberFor is how long. Less than a day: robots.txt holds no longer (RFC 9309, 2.4), and an icon that no row
// names is removed a day after it was put, while a feed may be given it as long as it is remembered.
const rememberFor = 12 * time.Hour

// visit is what an address said, with what its kind needs; the zero value is nothing that can be used.
type visit struct {
	Status int      `json:"s,omitempty"` // of robots.txt; 0: no answer
	Robots string   `json:"r,omitempty"`
	Icons  []string `json:"i,omitempty"` // that a page names
	End    string   `json:"e,omitempty"` // where the page was
	Hash   []byte   `json:"h,omitempty"` // of an image that can be shown
	Square bool     `json:"q,omitempty"`
}

func visitKey(kind, address string) string { return store.HashToken("icon#" + kind + "#" + address) }

// maxInflated bounds what a row may inflate to.
const maxInflated = 2 << 20

// recall gives what an address said a moment ago. Any fault only costs another request.
func (l *look) recall(ctx context.Context, kind, address string) (v visit, ok bool) {
	key := visitKey(kind, address)
	if v, ok = l.known[key]; ok {
		return v, true
	}
	packed, err := l.store.Cache.Get(ctx, key)
	if err != nil {
		return v, false
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxInflated))
	if err != nil || json.Unmarshal(plain, &v) != nil {
		return visit{}, false
	}
	l.known[key] = v
	return v, true
}

// remember keeps what an address said. What cannot be kept only costs the host another request.
func (l *look) remember(ctx context.Context, kind, address string, v visit) {
	key := visitKey(kind, address)
	l.known[key] = v
	plain, err := json.Marshal(v)
	if err != nil {
		return
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return
	}
	if _, err = w.Write(plain); err == nil {
		err = w.Close()
	}
	if err == nil {
		_ = l.store.Cache.PutFor(ctx, key, packed.Bytes(), rememberFor)
	}
}
