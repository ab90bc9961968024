package webauthn

import "math"

// maxDepth is how deep CBOR may nest: CTAP2 allows four levels (CTAP 2.1, 8), and the caller's own
// attestation object is the first.
const maxDepth = 4

// decodeCBOR reads one value and gives what follows it. It takes what CTAP2's canonical form (CTAP 2.1, 8, over
// RFC 8949) has: integers, byte and text strings, arrays, maps with integer or text keys, false, true and null, all
// of definite length and in their shortest form. Tags, floats, other simple values and doubled keys are
// refused. The order of a map's keys is not held against it: there are makers of passkeys that do not sort.
//
// Values are int64, []byte (aliasing b), string, []any, map[any]any, bool and nil.
func decodeCBOR(b []byte) (any, []byte, error) {
	r := cborReader{b}
	v, err := r.value(maxDepth)
	return v, r.b, err
}

type cborReader struct{ b []byte }

func broken(what string) error { return refuse("CTAP 8", "CBOR: %s", what) }

// head reads the first byte and the argument (RFC 8949, 3).
func (r *cborReader) head() (major byte, n uint64, err error) {
	if len(r.b) == 0 {
		return 0, 0, broken("it ends too early")
	}
	major, n = r.b[0]>>5, uint64(r.b[0]&31)
	r.b = r.b[1:]
	if n < 24 {
		return major, n, nil
	}
	if n > 27 {
		return 0, 0, broken("indefinite or reserved length")
	}
	if major == 7 {
		return 0, 0, broken("a float or a simple value in two bytes")
	}
	size := 1 << (n - 24)
	if len(r.b) < size {
		return 0, 0, broken("it ends too early")
	}
	n = 0
	for _, c := range r.b[:size] {
		n = n<<8 | uint64(c)
	}
	r.b = r.b[size:]
	if size == 1 && n < 24 || size > 1 && n>>(4*size) == 0 {
		return 0, 0, broken("a number is not in its shortest form")
	}
	return major, n, nil
}

func (r *cborReader) value(depth int) (any, error) {
	major, n, err := r.head()
	if err != nil {
		return nil, err
	}
	switch major {
	case 0, 1:
		if n > math.MaxInt64 {
			return nil, broken("a number is too large")
		}
		if major == 1 {
			return -1 - int64(n), nil
		}
		return int64(n), nil
	case 2, 3:
		if n > uint64(len(r.b)) {
			return nil, broken("a string is longer than what is left")
		}
		s := r.b[:n:n]
		r.b = r.b[n:]
		if major == 3 {
			return string(s), nil
		}
		return s, nil
	case 4:
		return r.array(n, depth)
	case 5:
		return r.object(n, depth)
	case 7:
		switch n {
		case 20, 21:
			return n == 21, nil
		case 22:
			return nil, nil
		}
	}
	return nil, broken("a tag or a simple value")
}

func (r *cborReader) array(n uint64, depth int) (any, error) {
	if depth == 0 || n > uint64(len(r.b)) { // an element has one byte at least
		return nil, broken("an array is too deep or too long")
	}
	list := []any{}
	for range n {
		v, err := r.value(depth - 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (r *cborReader) object(n uint64, depth int) (any, error) {
	if depth == 0 || n > uint64(len(r.b)/2) {
		return nil, broken("a map is too deep or too long")
	}
	m := map[any]any{}
	for range n {
		k, err := r.value(0)
		if err != nil {
			return nil, err
		}
		switch k.(type) {
		case int64, string:
		default:
			return nil, broken("a key is neither a number nor a text")
		}
		if _, twice := m[k]; twice {
			return nil, broken("a key comes twice")
		}
		if m[k], err = r.value(depth - 1); err != nil {
			return nil, err
		}
	}
	return m, nil
}
