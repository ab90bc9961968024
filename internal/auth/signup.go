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

// Who may sign up.
const (
	SignUpClosed     = "closed"     // no sign-up; existing invitations are not valid
	SignUpInvitation = "invitation" // people with an invitation: the default
	SignUpOpen       = "open"       // everybody
)

const (
	// InvitationLife is how long an invitation is valid.
	InvitationLife = 7 * 24 * time.Hour
	maxInvitations = 200
	maxNote        = 200
	// siteCacheLife is how long the installation's settings are cached, which everybody who opens the log-in page
	// reads.
	siteCacheLife = time.Minute
)

// SignUp returns who may sign up.
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
	s.cacheSignUp(policy, now)
	return policy, nil
}

func (s *Service) cacheSignUp(policy string, now time.Time) {
	s.mu.Lock()
	s.signUp, s.signUpUntil = policy, now.Add(siteCacheLife)
	s.mu.Unlock()
}

// SetSignUp changes who may sign up; in other processes within a minute.
func (s *Service) SetSignUp(ctx context.Context, policy string) error {
	if !slices.Contains([]string{SignUpClosed, SignUpInvitation, SignUpOpen}, policy) {
		return fault.Coded(fault.Invalid, "bad_sign_up").At("signUp")
	}
	err := s.accounts.SetSignUp(ctx, policy)
	if err == nil {
		s.cacheSignUp(policy, s.clock.Now())
	}
	return err
}

// Invite creates an invitation and returns its secret, which is shown once.
func (s *Service) Invite(ctx context.Context, by reader.UserID, note string) (string, *store.InvitationRow, error) {
	if note = strings.TrimSpace(note); utf8.RuneCountInString(note) > maxNote {
		return "", nil, fault.Coded(fault.Invalid, "bad_note", maxNote).At("note")
	}
	list, err := s.accounts.Invitations(ctx)
	if err != nil {
		return "", nil, err
	}
	if len(list) >= maxInvitations {
		return "", nil, fault.Coded(fault.Conflict, "invitation_limit", maxInvitations)
	}
	secret := randomText(32)
	row, err := s.accounts.PutInvitation(ctx, secret, note, by, InvitationLife)
	return secret, row, err
}

// Invitations lists the valid invitations.
func (s *Service) Invitations(ctx context.Context) ([]*store.InvitationRow, error) {
	return s.accounts.Invitations(ctx)
}

// Withdraw revokes an invitation.
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

// CheckInvitation checks an invitation without using it.
func (s *Service) CheckInvitation(ctx context.Context, secret string) error {
	_, err := s.maySignUp(ctx, secret)
	return err
}

// maySignUp returns the invitation to sign up with, nil if none is needed.
func (s *Service) maySignUp(ctx context.Context, secret string) (*store.InvitationRow, error) {
	policy, err := s.SignUp(ctx)
	if err != nil || policy == SignUpOpen {
		return nil, err
	}
	if policy == SignUpClosed || secret == "" {
		return nil, errSignUpClosed
	}
	row, err := s.accounts.Invitation(ctx, secret)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Forbidden, "invitation_not_valid", "auth: sign up", nil)
	}
	return row, err
}

// SignUpByPassword creates a user with a password. An address in use is refused without a reason and after the same
// time, and each attempt counts as one to sign in: where sign-up is open, finding out who has an account is slow.
func (s *Service) SignUpByPassword(ctx context.Context, email, password, invitation,
	from string) (*store.Account, error) {
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
			err = errSignUpRefused
		}
		return nil, err
	}
	u := reader.UserID(randomText(10))
	err = s.withInvitation(ctx, invited, func() error {
		return s.accounts.Create(ctx, u, store.Account{Email: email, Password: encoded})
	})
	if fault.Is(err, fault.Conflict) {
		return nil, errSignUpRefused
	}
	if err != nil {
		return nil, err
	}
	return s.accounts.Get(ctx, u, table.Consistent())
}

// withInvitation creates a user with an invitation. It is used up first, so that it admits at most one person, and
// returned if the user could not be created.
func (s *Service) withInvitation(ctx context.Context, invited *store.InvitationRow, create func() error) error {
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
		_ = s.accounts.ReturnInvitation(ctx, invited) // if this fails, the owner has to invite again
	}
	return err
}
