package rules

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/klauspost/compress/flate"

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
	r := flate.NewReader(bytes.NewReader(b))
	plain, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	if err != nil || len(plain) > maxPlain {
		return nil, errStored
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.DisallowUnknownFields()
	var list []Rule
	if d.Decode(&list) != nil || d.Decode(&struct{}{}) != io.EOF || Check(list) != nil {
		return nil, errStored
	}
	return list, nil
}
