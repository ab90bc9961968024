package rehearse

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"

	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// Link makes a one-time link that signs in the owner, or the user with an address.
func (s *Stack) Link(ctx context.Context, email string) (string, error) {
	account, err := s.App.Auth.EnsureOwner(ctx)
	if err == nil && email != "" {
		account, err = s.App.Auth.ByEmail(ctx, email)
	}
	if err != nil {
		return "", err
	}
	secret, err := s.App.Auth.NewLink(ctx, account.ID(), auth.LinkLife)
	return s.URL + "/auth/link/" + secret, err
}

// AddSamples serves the sample feeds in addition to the page and subscribes the owner to them, as the single binary
// does.
func (s *Stack) AddSamples(ctx context.Context) error {
	s.extra.Handle(samples.Prefix, samples.Handler(func(*http.Request) string { return s.URL }, clock.System{}))
	owner, err := s.App.Auth.EnsureOwner(ctx)
	if err != nil {
		return err
	}
	for _, f := range samples.List() {
		_, _, err := s.App.Subscribe.Add(ctx, owner.ID(), s.URL+f.Path,
			subscribe.Options{Folder: []string{"Samples"}, Sample: true})
		if err != nil {
			return fmt.Errorf("rehearse: the sample %s: %w", f.Path, err)
		}
	}
	return nil
}

// Control is the rig's remote control, for tests in other languages. Each answer is JSON; a failure is reported in
// "error" with status 500.
//
//	POST /stacks {"samples": true, "parameters": {…}}   deploys; gives id, base
//	POST /stacks/ID/link {"email": …}                   a one-time link, of the owner without an address
//	POST /stacks/ID/users {"email": …, "password": …}   adds a user
//	POST /stacks/ID/recycle                             ends idle environments: what comes next are cold starts
//	POST /stacks/ID/close                               ends it; gives the calls that roles did not allow
type Control struct {
	rig    *Rig
	mu     sync.Mutex
	stacks map[string]*Stack
}

// NewControl makes one; Close closes its stacks.
func NewControl(rig *Rig) *Control { return &Control{rig: rig, stacks: map[string]*Stack{}} }

// Close closes the stacks that are left.
func (c *Control) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.stacks {
		s.Close()
	}
}

type order struct {
	Samples         bool
	Parameters      map[string]string
	Email, Password string
}

// ServeHTTP implements http.Handler.
func (c *Control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	handle := func(pattern string, f func(ctx context.Context, s *Stack, o order) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			var o order
			if r.ContentLength != 0 {
				if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
					http.Error(w, err.Error(), http.StatusBadRequest)
					return
				}
			}
			c.mu.Lock()
			s := c.stacks[r.PathValue("id")]
			c.mu.Unlock()
			if s == nil && r.PathValue("id") != "" {
				http.Error(w, "no such stack", http.StatusNotFound)
				return
			}
			answer, err := f(r.Context(), s, o)
			if err != nil {
				w.WriteHeader(http.StatusInternalServerError)
				answer = map[string]string{"error": err.Error()}
			}
			_ = json.NewEncoder(w).Encode(answer)
		})
	}
	handle("POST /stacks", c.deploy)
	handle("POST /stacks/{id}/link", func(ctx context.Context, s *Stack, o order) (any, error) {
		link, err := s.Link(ctx, o.Email)
		return map[string]string{"link": link}, err
	})
	handle("POST /stacks/{id}/users", func(ctx context.Context, s *Stack, o order) (any, error) {
		_, err := s.App.Auth.AddUser(ctx, o.Email, o.Password, false)
		return struct{}{}, err
	})
	handle("POST /stacks/{id}/recycle", func(_ context.Context, s *Stack, _ order) (any, error) {
		s.Host.Recycle()
		return struct{}{}, nil
	})
	handle("POST /stacks/{id}/close", func(_ context.Context, s *Stack, _ order) (any, error) {
		s.Close()
		return map[string][]string{"denied": s.Denied()}, nil
	})
	mux.ServeHTTP(w, r)
}

func (c *Control) deploy(ctx context.Context, _ *Stack, o order) (any, error) {
	parameters := Parameters()
	maps.Copy(parameters, o.Parameters)
	s, err := c.rig.Deploy(ctx, parameters)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	id := strconv.Itoa(len(c.stacks) + 1)
	c.stacks[id] = s
	c.mu.Unlock()
	if o.Samples {
		if err := s.AddSamples(ctx); err != nil {
			return nil, err
		}
	}
	return map[string]string{"id": id, "base": s.URL}, nil
}
