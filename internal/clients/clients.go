// Package clients has what the APIs of native clients share: their services, who a request is from, and how forms are
// read and errors answered. Each dialect is a package below it.
package clients

import (
	"context"
	"net/http"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// Services are the services behind the dialects.
type Services struct {
	Store     *store.Store
	Library   *library.Service
	Streams   *stream.Service
	Subscribe *subscribe.Service
	Auth      *auth.Service
	Icons     *icon.Service     // nil: there are none
	FullText  *fulltext.Service // nil: there is none
	Find      *find.Service     // nil, or one that is off: nothing can be searched
	Clock     clock.Clock
	Version   string
	// Origin returns the address of this installation as the client sees it, without a slash at its end.
	Origin func(*http.Request) string
	// Room returns the greatest size of an answer to a request, in bytes, before it is compressed. Items that a client
	// asked for by ids are all answered: beyond this size, with snippets in place of bodies.
	Room func(*http.Request) int
}

// Caller is the sender of a request.
type Caller struct {
	User  reader.UserID
	Email string // the account's address when the app password was created
}

// Visit is one request, as the API that serves it knows it. The dialects need not look at it: Login, Bearer and Fever
// do.
type Visit struct {
	Address string // of the client
	Agent   string // the User-Agent header
	// Stranger counts the request against the limit of its address, Guest against that of a user. Their errors are
	// fault.RateLimited.
	Stranger func() error
	Guest    func(reader.UserID) error
	// Costly counts what a user may do less often than other requests, likewise.
	Costly func(Costly, reader.UserID) error
	// User and Err are for the request's log line.
	User reader.UserID
	Err  error
}

// Costly are requests with a limit of their own: they are work for other servers, or much for ours.
type Costly uint8

// The kinds.
const (
	Search   Costly = iota
	Page            // of a site, that an item links to
	Refresh         // of several feeds
	Addition        // of a feed
)

// Count counts something costly; the error is fault.RateLimited.
func (s *Services) Count(ctx context.Context, u reader.UserID, kind Costly) error {
	if v := visit(ctx); v.Costly != nil {
		return v.Costly(kind, u)
	}
	return nil
}

type visitKey struct{}

// With returns the context of a visit.
func With(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

func visit(ctx context.Context) *Visit {
	if v, ok := ctx.Value(visitKey{}).(*Visit); ok {
		return v
	}
	return &Visit{}
}

// Login checks an e-mail address and an app password, and returns the token for Bearer: the app password itself, which
// has none of the characters that clients trip over (decision 0601). The error is fault.Unauthenticated, or an
// auth.TooManyError.
func (s *Services) Login(ctx context.Context, email, password string) (c Caller, token string, err error) {
	v := visit(ctx)
	token = auth.PlainAppPassword(password)
	c, err = v.admit(s.Auth.Knows(ctx, token), func() (auth.Token, error) {
		return s.Auth.AppLogin(ctx, email, token, v.Address, v.Agent)
	})
	return c, token, err
}

// Bearer checks an app password, without reading the table where it was read less than a minute ago. The error is
// fault.Unauthenticated, fault.Forbidden for another token, or fault.RateLimited.
func (s *Services) Bearer(ctx context.Context, token string) (Caller, error) {
	v := visit(ctx)
	return v.admit(s.Auth.Knows(ctx, token), func() (auth.Token, error) {
		return s.Auth.AppPassword(ctx, token, v.Agent)
	})
}

// Fever checks a Fever key: the MD5 of e-mail address, colon and app password, in hexadecimal digits. Errors are those
// of Bearer.
func (s *Services) Fever(ctx context.Context, key string) (Caller, error) {
	v := visit(ctx)
	return v.admit(s.Auth.KnowsFever(key), func() (auth.Token, error) { return s.Auth.FeverKey(ctx, key, v.Agent) })
}

// admit verifies a credential and counts the request: against the limit of the user, or of the address before any
// lookup when the credential is not known to be good, so that guesses cost no lookups.
func (v *Visit) admit(isKnown bool, verify func() (auth.Token, error)) (Caller, error) {
	if err := v.stranger(isKnown); err != nil {
		return Caller{}, err
	}
	t, err := verify()
	if fault.Is(err, fault.Unauthenticated) && isKnown { // revoked
		if err := v.stranger(false); err != nil {
			return Caller{}, err
		}
	}
	if err != nil {
		return Caller{}, err
	}
	v.User = t.User
	if v.Guest != nil {
		err = v.Guest(t.User)
	}
	return callerOf(t), err
}

func (v *Visit) stranger(isKnown bool) error {
	if isKnown || v.Stranger == nil {
		return nil
	}
	return v.Stranger()
}

func callerOf(t auth.Token) Caller { return Caller{User: t.User, Email: t.Email} }
