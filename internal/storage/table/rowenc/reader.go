package rowenc

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// cloneOver is the row size above which strings are copied instead of sharing the row's memory, so that keeping a
// title does not keep a large row alive.
const cloneOver = 4 << 10

// Kind says what a value is.
type Kind uint8

// The kinds.
const (
	String Kind = iota
	Number
	Bytes
	Bool
	List
)

// Value is the value of an attribute: of a string, number or boolean its text, of bytes their base64, of a list its
// JSON.
type Value struct {
	Kind Kind
	Text string
}

// Bytes decodes a value of kind Bytes.
func (v Value) Bytes() ([]byte, error) { return base64.StdEncoding.Strict().DecodeString(v.Text) }

// Attribute returns the value as the codec knows it.
func (v Value) Attribute() (types.AttributeValue, error) {
	switch v.Kind {
	case String:
		return &types.AttributeValueMemberS{Value: v.Text}, nil
	case Number:
		return &types.AttributeValueMemberN{Value: v.Text}, nil
	case Bool:
		return &types.AttributeValueMemberBOOL{Value: v.Text == "true"}, nil
	case Bytes:
		b, err := v.Bytes()
		return &types.AttributeValueMemberB{Value: b}, err
	}
	list := []types.AttributeValue{}
	s := scanner{rest: v.Text}
	s.members('[', ']', func() error {
		e := s.scalar()
		if s.isBad {
			return errCorrupt
		}
		av, err := e.Attribute()
		list = append(list, av)
		return err
	})
	if s.isBad || s.rest != "" {
		return nil, errCorrupt
	}
	return &types.AttributeValueMemberL{Value: list}, nil
}

// Each calls do for every attribute of a row, in the order of their names. It reads what Append writes, and no other
// JSON.
func Each(row string, do func(name string, v Value) error) error {
	s := scanner{rest: row, clones: len(row) > cloneOver}
	last, isFirst := "", true
	s.members('{', '}', func() error {
		name := s.text()
		if s.take(":"); s.isBad || name <= last && !isFirst {
			return errCorrupt
		}
		last, isFirst = name, false
		v := s.value()
		if s.isBad {
			return errCorrupt
		}
		return do(name, v)
	})
	if s.isBad || s.rest != "" {
		return errCorrupt
	}
	return nil
}

// scanner reads a row. After an error isBad is set and rest is empty.
type scanner struct {
	rest   string
	clones bool
	isBad  bool
}

func (s *scanner) fail() { s.rest, s.isBad = "", true }

func (s *scanner) at(prefix string) bool { return strings.HasPrefix(s.rest, prefix) }

func (s *scanner) take(prefix string) {
	if !s.at(prefix) {
		s.fail()
		return
	}
	s.rest = s.rest[len(prefix):]
}

// members calls one for each member of an object or a list, which it reads.
func (s *scanner) members(begin, end byte, one func() error) {
	if s.take(string(begin)); s.at(string(end)) {
		s.rest = s.rest[1:]
		return
	}
	for !s.isBad {
		if one() != nil {
			s.fail()
		}
		if s.at(",") {
			s.rest = s.rest[1:]
			continue
		}
		s.take(string(end))
		return
	}
}

func (s *scanner) value() Value {
	if !s.at("[") {
		return s.scalar()
	}
	whole := s.rest
	s.members('[', ']', func() error { s.scalar(); return nil })
	return Value{List, whole[:len(whole)-len(s.rest)]}
}

func (s *scanner) scalar() Value {
	switch {
	case s.at(`"`):
		return Value{String, s.text()}
	case s.at(bytesBegin):
		s.rest = s.rest[len(bytesBegin):]
		n := max(strings.IndexByte(s.rest, '"'), 0)
		v := Value{Bytes, s.rest[:n]}
		s.rest = s.rest[n:]
		s.take(bytesEnd)
		return v
	case s.at("true"), s.at("false"):
		n := strings.IndexByte(s.rest, 'e') + 1
		v := Value{Bool, s.rest[:n]}
		s.rest = s.rest[n:]
		return v
	}
	n := 0
	for n < len(s.rest) && (s.rest[n] >= '0' && s.rest[n] <= '9' || s.rest[n] == '-' || s.rest[n] == '.') {
		n++
	}
	v := Value{Number, s.rest[:n]}
	if n == 0 || !json.Valid([]byte(v.Text)) {
		s.fail()
		return v
	}
	s.rest = s.rest[n:]
	return v
}

// text reads a string.
func (s *scanner) text() string {
	s.take(`"`)
	n := strings.IndexByte(s.rest, '"')
	if n < 0 {
		s.fail()
		return ""
	}
	t := s.rest[:n]
	if strings.IndexByte(t, '\\') >= 0 {
		return s.escaped()
	}
	s.rest = s.rest[n+1:]
	if s.clones {
		t = strings.Clone(t)
	}
	return t
}

// escaped reads a string with escapes, from behind its first quote on.
func (s *scanner) escaped() (t string) {
	n := 0
	for n < len(s.rest) && s.rest[n] != '"' {
		if s.rest[n] == '\\' {
			n++
		}
		n++
	}
	if n >= len(s.rest) || json.Unmarshal([]byte(`"`+s.rest[:n+1]), &t) != nil {
		s.fail()
		return ""
	}
	s.rest = s.rest[n+1:]
	return t
}
