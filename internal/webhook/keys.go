package webhook

import (
	"context"
	"net/url"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Keys of services are the owner's settings: each line of RURI_WEBHOOK_KEYS has a name, the host that alone may get the
// key, and the key. A webhook's row has the name. So no key is in a table, and no address of a webhook can collect one
// that is meant for another host.

// Keys reads the setting; nil where there is none.
type Keys func(ctx context.Context) (string, error)

// key returns the key of a name for an address; fault.Invalid when the owner has set none for it, or another user asks.
func (s *Service) key(ctx context.Context, u reader.UserID, name, address string) (string, error) {
	if name == "" {
		return "", nil
	}
	unknown := fault.Coded(fault.Invalid, "webhook_key_unknown").At("key")
	if account, err := s.store.Accounts.Get(ctx, u); err != nil || !account.Owner {
		if err == nil || fault.Is(err, fault.NotFound) {
			err = unknown
		}
		return "", err
	}
	lines := ""
	if s.keys != nil {
		var err error
		if lines, err = s.keys(ctx); err != nil {
			return "", err
		}
	}
	to, err := url.Parse(strings.ReplaceAll(address, keyMark, "key"))
	if err != nil {
		return "", unknown
	}
	for line := range strings.FieldsFuncSeq(lines, func(r rune) bool { return r == '\n' || r == '\r' }) {
		is, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		host, key, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if key = strings.TrimSpace(key); is == name && strings.EqualFold(host, to.Host) && key != "" {
			return key, nil
		}
	}
	return "", unknown
}
