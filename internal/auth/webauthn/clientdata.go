package webauthn

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
)

// clientData is the request as the browser saw it (5.8.1). The signature covers its bytes.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
	TopOrigin   string `json:"topOrigin"`
}

// checkClientData compares the client data with the request (7.1, steps 7 to 12; 7.2, steps 11 to 16).
func (p Party) checkClientData(text []byte, kind string, challenge []byte) error {
	if len(text) > maxClientData {
		return refuse("5.8.1", "the client data has %d bytes", len(text))
	}
	var c clientData
	if err := json.Unmarshal(text, &c); err != nil {
		return refuse("5.8.1", "the client data is not JSON: %v", err)
	}
	if c.Type != kind {
		return refuse("7.2.11", "the ceremony is %.40q, not %q", c.Type, kind)
	}
	want := base64.RawURLEncoding.EncodeToString(challenge)
	// 13.4.3: 16 bytes at least
	if len(challenge) < 16 || subtle.ConstantTimeCompare([]byte(c.Challenge), []byte(want)) != 1 {
		return refuse("7.2.12", "the challenge differs")
	}
	if c.Origin != p.Origin {
		return refuse("7.2.13", "the origin is %.100q, not %q", c.Origin, p.Origin)
	}
	if c.CrossOrigin || c.TopOrigin != "" {
		return refuse("7.2.14", "the page was embedded in another")
	}
	return nil
}
