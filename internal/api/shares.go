package api

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A shared list is a feed at a secret address: it is a token of the scope feed. So it is listed, limited
// and revoked as all tokens are.

const sharedPath = "/api/shared/"

type shareJSON struct {
	ID        string  `json:"id"`
	Of        string  `json:"of"`
	Title     string  `json:"title"`
	CreatedAt moment  `json:"createdAt"`
	AtomURL   *string `json:"atomUrl,omitempty"`
	JSONURL   *string `json:"jsonUrl,omitempty"`
}

func (s *Server) shareRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/shares", Account: true, Handle: s.listShares},
		{Method: "POST", Path: "/api/shares", Account: true, Fresh: true, Handle: with(s.addShare)},
		{Method: "DELETE", Path: "/api/shares/{id}", Account: true, Handle: s.endToken},
		{Method: "GET", Path: sharedPath + "{token}", Public: true, Handle: s.sharedFeed},
	}
}

func shareShape(row *store.TokenRow) shareJSON {
	return shareJSON{ID: row.ID, Of: row.Of, Title: row.Name, CreatedAt: moment(row.Created)}
}

func (s *Server) listShares(r *request) error {
	list, err := s.Auth.Shares(r.Context(), r.user)
	return answerList(r, "shares", list, shareShape, err)
}

// addShare answers with the addresses. Only the hash of their secret is stored, so they cannot be shown again.
func (s *Server) addShare(r *request, in struct {
	Of    string `json:"of" required:"true"`
	Title string `json:"title"`
}) error {
	name, err := s.Find.SharedName(r.Context(), r.user, in.Of)
	if err != nil {
		return err
	}
	secret, err := s.Auth.CreateShare(r.Context(), r.user, auth.TokenRequest{
		Name: cmp.Or(strings.TrimSpace(in.Title), name, "Starred"), Of: in.Of, Agent: r.UserAgent(),
		Referrer: r.Referer(), Address: s.Proxies.clientAddress(r.Request),
	})
	if err != nil {
		return err
	}
	row, err := s.Auth.Share(r.Context(), secret)
	r.Header().Set("Cache-Control", "no-store")
	return answerOne(r, http.StatusCreated, "share", row, func(row *store.TokenRow) shareJSON {
		out := shareShape(row)
		address := s.address(r) + sharedPath + secret
		atom, json := address+".atom", address+".json"
		out.AtomURL, out.JSONURL = &atom, &json
		return out
	}, err)
}

// sharedFeed answers with a shared list. Each is made at most every quarter of an hour.
func (s *Server) sharedFeed(r *request) error {
	secret, ending, _ := strings.Cut(r.PathValue("token"), ".")
	if ending != "atom" && ending != "json" {
		return nothingHere()
	}
	share, err := s.Auth.Share(r.Context(), secret)
	if err != nil {
		return err
	}
	hash := store.HashToken(secret)
	list, err := s.shares.list(s.Clock.Now(), hash, func() (list publicList, err error) {
		list.shared, err = s.Find.Share(r.Context(), reader.UserID(share.User), share.Of)
		if fault.Is(err, fault.NotFound) { // the label, the folder or the search
			err = fault.Coded(fault.NotFound, "share_gone")
		}
		return list, err
	})
	if err != nil {
		return err
	}
	out := outFeed{ID: "urn:sha256:" + hash, Title: share.Name, Self: s.address(r) + sharedPath + secret + "." + ending,
		Updated: time.Unix(share.Created, 0), Entries: mapped(list.shared, outEntryOf)}
	h := r.Header()
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(int(publicFor/time.Second)))
	h.Set("X-Robots-Tag", "noindex")
	return out.answer(r, ending == "atom")
}

func outEntryOf(it find.SharedItem) outEntry {
	return outEntry{ID: it.ID, Title: cmp.Or(it.Title, it.Link), Link: it.Link, Author: cmp.Or(it.Author, it.Feed),
		Text: it.Snippet, Published: it.Published, Updated: it.Updated}
}
