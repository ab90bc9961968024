package auth

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Who may sign up, as the owner sets it.
const (
	SignUpClosed     = "closed"     // nobody; invitations that are out do not hold
	SignUpInvitation = "invitation" // who has an invitation: the default
	SignUpOpen       = "open"       // everybody
)

const (
	// InvitationLife is how long an invitation holds.
	InvitationLife = 7 * 24 * time.Hour
	maxInvitations = 200
	maxNote        = 200
	// siteMemory is how long the owner's settings are believed without a look: they are asked for by whoever opens
	// the log-in page.
	siteMemory = time.Minute
)

// SignUp tells who may sign up.
func (s *Service) SignUp(ctx context.Context) (string, error) {
	now := s.clock.Now()
	s.mu.Lock()
	policy, fresh := s.signUp, now.Before(s.signUpUntil)
	s.mu.Unlock()
	if fresh {
		return policy, nil
	}
	row, err := s.accounts.Site(ctx)
	if err != nil {
		return "", err
	}
	if policy = row.SignUp; policy == "" {
		policy = SignUpInvitation
	}
	s.rememberSignUp(policy, now)
	return policy, nil
}

func (s *Service) rememberSignUp(policy string, now time.Time) {
	s.mu.Lock()
	s.signUp, s.signUpUntil = policy, now.Add(siteMemory)
	s.mu.Unlock()
}

// SetSignUp changes who may sign up. Other processes know it within a minute.
func (s *Service) SetSignUp(ctx context.Context, policy string) error {
	if !slices.Contains([]string{SignUpClosed, SignUpInvitation, SignUpOpen}, policy) {
		return fault.Newf(fault.Invalid, "bad_sign_up", "Signing up is closed, by invitation, or open.").At("signUp")
	}
	err := s.accounts.PutSite(ctx, store.SiteRow{SignUp: policy})
	if err == nil {
		s.rememberSignUp(policy, s.clock.Now())
	}
	return err
}

// Invite makes an invitation and gives its secret, which is shown once.
func (s *Service) Invite(ctx context.Context, by reader.UserID, note string) (string, *store.InvitationRow, error) {
	if note = strings.TrimSpace(note); utf8.RuneCountInString(note) > maxNote {
		return "", nil, fault.Newf(fault.Invalid, "bad_note", "A note has at most %d characters.", maxNote).At("note")
	}
	list, err := s.accounts.Invitations(ctx)
	if err != nil {
		return "", nil, err
	}
	if len(list) >= maxInvitations {
		return "", nil, fault.Newf(fault.Conflict, "invitation_limit", "There are already %d invitations that nobody has used.", maxInvitations)
	}
	secret := randomText(32)
	row, err := s.accounts.PutInvitation(ctx, secret, note, by, InvitationLife)
	return secret, row, err
}

// Invitations lists those that hold.
func (s *Service) Invitations(ctx context.Context) ([]*store.InvitationRow, error) {
	return s.accounts.Invitations(ctx)
}

// Withdraw takes an invitation back.
func (s *Service) Withdraw(ctx context.Context, id string) error {
	list, err := s.accounts.Invitations(ctx)
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.ID() == id {
			return s.accounts.SpendInvitation(ctx, row)
		}
	}
	return fault.New(fault.NotFound, "invitation_not_valid", "auth: withdraw", nil)
}

func signUpClosed() error {
	return fault.Newf(fault.Forbidden, "sign_up_closed", "This reader takes no new users without an invitation.")
}

// CheckInvitation tells whether an invitation would let somebody sign up now, and spends nothing.
func (s *Service) CheckInvitation(ctx context.Context, secret string) error {
	_, err := s.maySignUp(ctx, secret)
	return err
}

// maySignUp finds the invitation that somebody signs up by; nil where none is needed.
func (s *Service) maySignUp(ctx context.Context, secret string) (*store.InvitationRow, error) {
	policy, err := s.SignUp(ctx)
	if err != nil || policy == SignUpOpen {
		return nil, err
	}
	if policy == SignUpClosed || secret == "" {
		return nil, signUpClosed()
	}
	row, err := s.accounts.Invitation(ctx, secret)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Forbidden, "invitation_not_valid", "auth: sign up", nil)
	}
	return row, err
}

func signUpRefused() error {
	return fault.Newf(fault.Conflict, "sign_up_refused", "It was not possible to sign up with this e-mail address.")
}

// SignUpByPassword makes a user with a password. An address that somebody has is refused without a word about why,
// after a password was hashed for it too, and each try counts as one to sign in: where sign-up is open somebody
// can find out who is here, as at every such place, but slowly.
func (s *Service) SignUpByPassword(ctx context.Context, email, password, invitation, from string) (*store.Account, error) {
	var wrong []*fault.Error
	email, bad := normaliseEmail(email)
	for _, w := range []*fault.Error{bad, checkPassword(password, email)} {
		if w != nil {
			wrong = append(wrong, w)
		}
	}
	if len(wrong) > 0 {
		return nil, fault.Several(wrong...)
	}
	if _, wait := s.throttle.take(email, from); wait > 0 {
		return nil, &TooManyError{RetryAfter: wait}
	}
	if err := s.countRegistration(ctx, "account "+network(from)); err != nil {
		return nil, err
	}
	invited, err := s.maySignUp(ctx, invitation)
	if err != nil {
		return nil, err
	}
	encoded, err := s.hash(ctx, password)
	if err != nil {
		return nil, err
	}
	if _, err := s.accounts.ByEmail(ctx, email); !fault.Is(err, fault.NotFound) {
		if err == nil {
			err = signUpRefused()
		}
		return nil, err
	}
	u := reader.UserID(randomText(10))
	err = s.spending(ctx, invited, func() error {
		return s.accounts.Create(ctx, u, store.Account{Email: email, Password: encoded})
	})
	if fault.Is(err, fault.Conflict) {
		return nil, signUpRefused()
	}
	if err != nil {
		return nil, err
	}
	return s.accounts.Get(ctx, u, table.Consistent())
}

// spending makes a user by an invitation: it is spent first, so that it lets one person in and no more, whatever
// happens after. Where nobody came of it, it is given back.
func (s *Service) spending(ctx context.Context, invited *store.InvitationRow, create func() error) error {
	if invited == nil {
		return create()
	}
	err := s.accounts.SpendInvitation(ctx, invited)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Forbidden, "invitation_not_valid", "auth: sign up", nil)
	}
	if err != nil {
		return err
	}
	if err = create(); fault.Is(err, fault.Conflict) {
		_ = s.accounts.ReturnInvitation(ctx, invited) // a lost one costs the owner another link, and no more
	}
	return err
}

// hash is HashPassword when a place is free for it.
func (s *Service) hash(ctx context.Context, password string) (string, error) {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
		return HashPassword(password)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
