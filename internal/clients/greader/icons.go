package greader

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// iconBase is the path of the icons of subscriptions. Programs load them without a password, so their addresses are
// signed: anybody who could try out which icons an installation has would learn which feeds its users follow.
const iconBase = "/reader/icons/"

// signBytes is the length of a signature in an address.
const signBytes = 16

// iconPath returns the path of an icon by its hash.
func (s *server) iconPath(ctx context.Context, hash []byte) (string, error) {
	key, err := s.Auth.Key(ctx, "icons of reader apps")
	if err != nil {
		return "", err
	}
	m := hmac.New(sha256.New, key)
	m.Write(hash)
	return iconBase + hex.EncodeToString(m.Sum(nil)[:signBytes]) + "/" + store.IconName(hash), nil
}

// icon answers the icon at a signed path. Its name is the hash of its content, so that it never changes.
func (s *server) icon(r *request, path string) error {
	gone := fault.Coded(fault.NotFound, "icon_not_found")
	hash, ok := store.ParseIconName(path[strings.LastIndexByte(path, '/')+1:])
	if !ok {
		return gone
	}
	signed, err := s.iconPath(r.Context(), hash)
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(signed), []byte(path)) {
		return gone
	}
	i, err := s.Icon(r.Context(), hash)
	if err != nil {
		return err
	}
	r.w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	r.w.Header().Set("Content-Security-Policy", icon.Policy)
	return r.bytes(i.ContentType, i.Body)
}
