package config

import (
	"context"
	"fmt"
	"log/slog"
)

// Secret is a setting that is never shown: the value itself (RURI_X), or the name of the SSM parameter with the value
// (RURI_X_PARAMETER, in the cloud), which is read when it is first needed. It prints and logs as a mask.
type Secret struct {
	variable, value, parameter string
}

// SecretReader reads the secret with a name from where secrets are stored.
type SecretReader func(ctx context.Context, name string) (string, error)

// IsSet reports whether the secret was given in either way.
func (s Secret) IsSet() bool { return s.value != "" || s.parameter != "" }

// Reveal returns the secret, "" when none is set. Without a reader, parameters are an error.
func (s Secret) Reveal(ctx context.Context, read SecretReader) (string, error) {
	if s.parameter == "" {
		return s.value, nil
	}
	if read == nil {
		return "", fmt.Errorf("%s%s names a parameter of AWS, which is read only there: set %s instead",
			s.variable, parameterSuffix, s.variable)
	}
	return read(ctx, s.parameter)
}

// String masks.
func (s Secret) String() string {
	switch {
	case s.parameter != "":
		return "parameter " + s.parameter
	case s.value != "":
		return "***"
	}
	return ""
}

// GoString masks for %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue masks in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText masks in JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

const parameterSuffix = "_PARAMETER"

// settings returns the secret's two settings: RURI_X and RURI_X_PARAMETER. Load refuses both at once.
func (s *Secret) settings(name, help string) []Setting {
	s.variable = name
	return []Setting{
		{name, "", help, text(&s.value)},
		{name + parameterSuffix, "", "SSM parameter that holds " + name + " (cloud)", func(v string) error {
			if s.parameter = v; v != "" && v[0] != '/' {
				return fmt.Errorf("is %q, and a parameter's name begins with a slash", v)
			}
			return nil
		}},
	}
}

// secrets are the settings that hold one, for Parameters.
func (c Config) secrets() []Secret {
	return []Secret{c.SessionSecret, c.GoogleClientSecret, c.OIDCClientSecret, c.WebhookKeys, c.AIKey}
}

// Parameters names the SSM parameters that hold secrets of ours, to be read in one request.
func (c Config) Parameters() []string {
	var names []string
	for _, s := range c.secrets() {
		if s.parameter != "" {
			names = append(names, s.parameter)
		}
	}
	return names
}
