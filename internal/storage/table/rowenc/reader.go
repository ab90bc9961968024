package rowenc

import (
	"encoding/json"
	"strconv"
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

// Value is the value of an attribute: of a string, number or boolean its text, of bytes these, of a list its JSON.
type Value struct {
	Kind Kind
	Text string
	tail string // from the bytes of a list on
}

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
		return &types.AttributeValueMemberB{Value: []byte(v.Text)}, nil
	}
	list := []types.AttributeValue{}
	s := scanner{row: v.Text, tail: v.tail}
	s.members('[', ']', func() error {
		e := s.scalar()
		if s.isBad {
			return errCorrupt
		}
		av, err := e.Attribute()
		list = append(list, av)
		return err
	})
	if !s.isDone() {
		return nil, errCorrupt
	}
	return &types.AttributeValueMemberL{Value: list}, nil
}

// Each calls do for every attribute of a row, in the order of their names. It reads what Append writes, and no other
// JSON.
func Each(row string, do func(name string, v Value) error) error {
	s := scanner{clones: len(row) > cloneOver}
	s.row, s.tail = Split(row)
	last, isFirst := "", true
	s.members('{', '}', func() error {
		name := s.text()
		if s.take(':'); s.isBad || name <= last && !isFirst {
			return errCorrupt
		}
		last, isFirst = name, false
		v := s.value()
		if s.isBad {
			return errCorrupt
		}
		return do(name, v)
	})
	if !s.isDone() || s.tail != "" {
		return errCorrupt
	}
	return nil
}

// scanner reads a row. After an error isBad is set, and nothing is left to read.
type scanner struct {
	row    string
	at     int
	tail   string // the bytes to come
	clones bool
	isBad  bool
}

func (s *scanner) fail() { s.at, s.isBad = len(s.row), true }

func (s *scanner) isDone() bool { return !s.isBad && s.at == len(s.row) }

// next is the byte to read next, 0 at the end.
func (s *scanner) next() byte {
	if s.at >= len(s.row) {
		return 0
	}
	return s.row[s.at]
}

func (s *scanner) take(c byte) {
	if s.next() != c {
		s.fail()
		return
	}
	s.at++
}

// takes reads a text, if that is next.
func (s *scanner) takes(text string) bool {
	if !strings.HasPrefix(s.row[s.at:], text) {
		return false
	}
	s.at += len(text)
	return true
}

// members calls one for each member of an object or a list, which it reads.
func (s *scanner) members(begin, end byte, one func() error) {
	if s.take(begin); s.next() == end {
		s.at++
		return
	}
	for !s.isBad {
		if one() != nil {
			s.fail()
		}
		if s.next() != ',' {
			s.take(end)
			return
		}
		s.at++
	}
}

func (s *scanner) value() Value {
	if s.next() != '[' {
		return s.scalar()
	}
	begin, tail := s.at, s.tail
	s.members('[', ']', func() error { s.scalar(); return nil })
	return Value{List, s.row[begin:s.at], tail}
}

func (s *scanner) scalar() Value {
	begin := s.at
	switch s.next() {
	case '"':
		return Value{Kind: String, Text: s.text()}
	case '{':
		if !s.takes(bytesBegin) {
			s.fail()
		}
		n, err := strconv.Atoi(s.until('}'))
		if err != nil || n < 0 || n > len(s.tail) {
			s.fail()
			return Value{}
		}
		v := Value{Kind: Bytes, Text: s.tail[:n]}
		s.tail = s.tail[n:]
		return v
	case 't', 'f':
		if !s.takes("true") && !s.takes("false") {
			s.fail()
		}
		return Value{Kind: Bool, Text: s.row[begin:s.at]}
	case '-':
		s.at++
	}
	isZero := s.next() == '0'
	if n := s.digits(); n > 1 && isZero {
		s.fail()
	}
	if s.next() == '.' {
		s.at++
		s.digits()
	}
	return Value{Kind: Number, Text: s.row[begin:s.at]}
}

// digits reads one digit or more.
func (s *scanner) digits() int {
	begin := s.at
	for s.next() >= '0' && s.next() <= '9' {
		s.at++
	}
	if s.at == begin {
		s.fail()
	}
	return s.at - begin
}

// until reads a byte, and returns what is before it.
func (s *scanner) until(c byte) string {
	n := strings.IndexByte(s.row[s.at:], c)
	if n < 0 {
		s.fail()
		return ""
	}
	text := s.row[s.at : s.at+n]
	s.at += n + 1
	return text
}

// text reads a string.
func (s *scanner) text() string {
	s.take('"')
	begin := s.at
	t := s.until('"')
	if strings.IndexByte(t, '\\') >= 0 {
		s.at = begin
		return s.escaped()
	}
	if s.clones {
		t = strings.Clone(t)
	}
	return t
}

// escaped reads a string with escapes, from behind its first quote on.
func (s *scanner) escaped() (t string) {
	var plain []byte // while there are only escaped quotes and backslashes, as in an ETag
	isPlain := true
	begin := s.at
	for ; s.next() != '"' && s.at < len(s.row); s.at++ {
		if s.next() == '\\' {
			s.at++
			isPlain = isPlain && (s.next() == '"' || s.next() == '\\')
		}
		plain = append(plain, s.next())
	}
	if s.take('"'); s.isBad || !isPlain && json.Unmarshal([]byte(s.row[begin-1:s.at]), &t) != nil {
		s.fail()
		return ""
	}
	if isPlain {
		return string(plain)
	}
	return t
}
