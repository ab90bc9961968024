package webauthn

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// decMode decodes CTAP2's subset of CBOR (CTAP 2.1, 8): definite lengths, no tags, no repeated keys, at most four
// levels. The shortest form and the order of keys are not enforced: nothing depends on them, and some authenticators do
// not sort.
var decMode = func() cbor.DecMode {
	m, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		MaxNestedLevels: 4,
		IntDec:          cbor.IntDecConvertSignedOrFail, FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
	}.DecMode()
	if err != nil {
		panic(fmt.Errorf("webauthn: %w", err)) // the options are constant
	}
	return m
}()

// decode decodes b into v to its last byte.
func decode(b []byte, v any) error {
	if err := decMode.Unmarshal(b, v); err != nil {
		return refuse("CTAP 8", "CBOR: %v", err)
	}
	return nil
}

// cutValue splits the first CBOR value off.
func cutValue(b []byte) (value cbor.RawMessage, rest []byte, err error) {
	rest, err = decMode.UnmarshalFirst(b, &value)
	if err != nil {
		return nil, nil, refuse("CTAP 8", "CBOR: %v", err)
	}
	return value, rest, nil
}

func isMap(v cbor.RawMessage) bool { return len(v) > 0 && v[0]>>5 == 5 }
