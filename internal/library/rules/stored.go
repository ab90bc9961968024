package rules

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	// MaxPacked is the largest stored form of rules, and maxPlain what it may inflate to.
	MaxPacked = 48 << 10
	maxPlain  = 512 << 10
)

// Pack returns the stored form of rules: JSON, deflated. The same rules are the same bytes.
func Pack(list []Rule) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	plain, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	b := reader.Deflate(nil, plain)
	if len(b) > MaxPacked || len(plain) > maxPlain {
		return nil, fault.Coded(fault.TooLarge, "rules_too_large").At("rules")
	}
	return b, nil
}

var errStored = fault.New(fault.Internal, "bad_rules", "rules: unpack", nil)

// Unpack decodes what Pack returned, and refuses anything else.
func Unpack(b []byte) ([]Rule, error) {
	if len(b) == 0 {
		return nil, nil
	}
	plain, err := reader.Inflate(b, maxPlain)
	if err != nil {
		return nil, errStored
	}
	d := json.NewDecoder(strings.NewReader(plain))
	d.DisallowUnknownFields()
	var list []Rule
	if d.Decode(&list) != nil || d.Decode(&struct{}{}) != io.EOF || Check(list) != nil {
		return nil, errStored
	}
	return list, nil
}
