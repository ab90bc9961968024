package config

import (
	"context"
	"fmt"
	"log/slog"
)

// Secret is a setting that is never shown: given as it is (RURI_X, on one machine), or by the name of the SSM
// parameter that holds it (RURI_X_PARAMETER, in the cloud), which is read when it is first needed. It prints
// and logs as a mask.
type Secret struct {
	variable, value, parameter string
}

// SecretReader reads a secret that is kept elsewhere, by its name there.
type SecretReader func(ctx context.Context, name string) (string, error)

// IsSet reports whether the secret was given in either way.
func (s Secret) IsSet() bool { return s.value != "" || s.parameter != "" }

// Parameter is the name of the SSM parameter, empty when the secret was given as it is.
func (s Secret) Parameter() string { return s.parameter }

// Reveal gives the secret itself, "" when none is set. A nil reader knows no other place than the environment.
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

// secret reads RURI_X or RURI_X_PARAMETER; both at once would leave open which one counts.
func (l *loader) secret(name string) Secret {
	s := Secret{variable: name, value: l.text(name), parameter: l.text(name + parameterSuffix)}
	if s.value != "" && s.parameter != "" {
		l.fail(name, "is set as it is and by "+name+parameterSuffix+": set one of them")
	}
	if s.parameter != "" && s.parameter[0] != '/' {
		l.fail(name+parameterSuffix, fmt.Sprintf("is %q, and a parameter's name begins with a slash", s.parameter))
	}
	return s
}

// secrets are the settings that hold one, for Parameters.
func (c Config) secrets() []Secret {
	return []Secret{c.SessionSecret, c.GoogleClientSecret, c.OIDCClientSecret}
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
