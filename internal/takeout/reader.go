package takeout

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/url"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Reader is an account of another reader, from which somebody moves in.
type Reader struct {
	URL      string            `json:"url" required:"true"`
	Login    string            `json:"login,omitempty"`
	Password string            `json:"password" required:"true"` // without a login a token of Miniflux's API
	API      string            `json:"api,omitempty"`
	Header   map[string]string `json:"headers,omitempty"` // such as Inoreader's AppId and AppKey
}

// Values of Reader.API; "" is what answers.
const (
	Miniflux = "miniflux"
	GReader  = "greader"
)

// MaxReader bounds the JSON of a Reader.
const MaxReader = 16 << 10

// Check refuses what cannot be asked.
func (r *Reader) Check() error {
	u, err := url.Parse(r.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fault.Coded(fault.Invalid, "bad_url").At("url")
	case r.Password == "":
		return fault.Coded(fault.Invalid, "missing_field").At("password")
	case r.API != "" && r.API != Miniflux && r.API != GReader:
		return fault.Coded(fault.Invalid, "wrong_type").At("api")
	}
	return nil
}

// MoveIn starts an import from another reader, which messages carry out (package movein). The password is stored
// until then.
func (s *Service) MoveIn(ctx context.Context, u reader.UserID, r *Reader) (*store.Import, error) {
	im, err := s.Moving(ctx, u, r, true)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(r)
	if err == nil {
		err = s.blobs.Put(ctx, store.ImportBlobKey(u, im.ID()), b, blob.Meta{ContentType: "application/json"})
	}
	if err == nil {
		err = job.Send(ctx, s.queue, 0, job.Job{Kind: job.MoveIn, User: u, List: im.ID()})
	}
	return im, err
}

// Moving returns the import of an account: one that has not ended goes on, unless it is to begin anew.
func (s *Service) Moving(ctx context.Context, u reader.UserID, r *Reader, anew bool) (*store.Import, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	list, err := s.store.Imports.List(ctx, u)
	if err != nil {
		return nil, err
	}
	row := store.ImportRow{Kind: store.KindReader, Name: reader.ShownURL(r.URL), Total: 100}
	for k := range list {
		if im := &list[k]; !anew && im.Kind == row.Kind && im.Name == row.Name && im.Ended == 0 {
			return im, nil
		}
	}
	return s.newImport(ctx, u, store.ImportID(s.clock.Now(), rand.Uint32()), row)
}

// ReaderOf returns the account that an import moves.
func (s *Service) ReaderOf(ctx context.Context, u reader.UserID, id string) (r Reader, err error) {
	b, _, err := s.blobs.Get(ctx, store.ImportBlobKey(u, id))
	if fault.Is(err, fault.NotFound) {
		return r, fault.New(fault.NotFound, "import_file_gone", "takeout: move in", err)
	}
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	return r, err
}
