package extract

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// Decode returns the text of a feed body as UTF-8: always valid, without byte order mark, NUL and the
// control characters that XML 1.0 forbids, without an XML declaration that names another encoding
// (so that an XML parser does not convert a second time), and with the text of entities that it declares itself. It
// decides as Scan does:
//
//  1. a byte order mark, or the pattern of zero bytes that UTF-16 and UTF-32 leave;
//  2. bytes that are valid UTF-8 are UTF-8, whatever a header or declaration says, except ISO-2022-JP
//     (which is 7-bit) and a declared double-byte charset whose bytes look like two-byte UTF-8 only;
//  3. the charset of the HTTP header, then that of the XML declaration (RFC 7303), the first that
//     decodes without error; but a Latin-1 header, which servers send unasked, yields to a declared
//     multi-byte charset that fits;
//  4. UTF-8 with some damaged bytes; else the Japanese, Chinese or Korean charset that fits best; else
//     windows-1252. Bytes that are plainly UTF-8 but for a few go before a declared charset, and bytes that are plainly
//     Japanese before one that they do not fit, and before one of single bytes, which everything fits.
//
// A body that is clean UTF-8 already is returned as it is, without a copy. The error is an *Error.
func Decode(body []byte, contentType string) ([]byte, error) {
	doc, err := decode(body, contentType)
	if err != nil {
		return nil, err
	}
	return DropControls(doc), nil
}

// decode is Decode but for the control characters, which Scan drops from the few strings it keeps.
func decode(body []byte, contentType string) ([]byte, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, &Error{Code: CodeEmpty}
	}
	doc := ToUTF8(body, HeaderCharset(contentType), DeclaredCharset(body))
	doc = withoutNULs(doc)
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, &Error{Code: CodeEmpty}
	}
	return expandEntities(cutDeclaration(doc)), nil
}

// ToUTF8 converts a body to UTF-8 without byte order mark, by the rules of Decode. header and declared are the charsets
// that the HTTP header and the document itself name, "" where they name none.
func ToUTF8(body []byte, header, declared string) []byte {
	return bytes.TrimLeft(toUTF8(body, header, declared), "\ufeff")
}

func toUTF8(body []byte, header, declared string) []byte {
	if e, skip := wideEncoding(body); e != nil {
		return run(e, body[skip:])
	}
	if utf8.Valid(body) {
		return validButDeclared(body, header, declared)
	}
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		return mendUTF8(body)
	}
	if bytes.HasPrefix(body, []byte("\x4c\x6f\xa7\x94")) { // "<?xm" in EBCDIC
		return run(charmap.CodePage037, body)
	}
	encodings := declaredEncodings(header, declared)
	good, bad := countUTF8(body)
	if good > 8*bad || good > 2*bad && !slices.ContainsFunc(encodings, isMultiByte) {
		return mendUTF8(body)
	}
	if !slices.ContainsFunc(encodings, isMultiByte) {
		if e, sure := sniff(body); sure {
			return run(e, body)
		}
	}
	for _, e := range encodings {
		if out := run(e, body); !bytes.Contains(out, []byte("\ufffd")) {
			return out
		}
	}
	if good > bad || bad == 0 || 2*good >= bad && len(encodings) == 0 {
		return mendUTF8(body)
	}
	e, sure := sniff(body)
	if len(encodings) > 0 && !sure {
		return run(encodings[0], body) // damaged, but as declared
	}
	return run(e, body)
}

// validButDeclared treats the few charsets whose bytes can pass as UTF-8.
func validButDeclared(body []byte, header, declared string) []byte {
	if bytes.IndexByte(body, 0x1b) >= 0 && hasISO2022JP(body) && isASCII(body) {
		e, _ := htmlindex.Get("iso-2022-jp")
		return run(e, body)
	}
	if isUTF8Name(header) && isUTF8Name(declared) {
		return body // nothing speaks against it: by far the most bodies
	}
	for _, e := range declaredEncodings(header, declared) {
		// Chinese and Korean double bytes C2..DF 80..BF read as Latin, Greek, Cyrillic … in UTF-8; real
		// UTF-8 of such a language has three-byte sequences.
		if isDoubleByte(e) && !hasThreeByte(body) && !isASCII(body) {
			if out := run(e, body); !bytes.Contains(out, []byte("\ufffd")) {
				return out
			}
		}
	}
	return body
}

// withoutNULs takes zero bytes out of a document that begins like XML or JSON otherwise; they are damage. Files of
// other kinds have them too.
func withoutNULs(doc []byte) []byte {
	if bytes.IndexByte(doc, 0) < 0 {
		return doc
	}
	lead := bytes.TrimLeft(doc[:min(len(doc), 512)], "\x00 \t\r\n")
	if len(lead) == 0 || lead[0] != '<' && lead[0] != '{' {
		return doc
	}
	return bytes.ReplaceAll(doc, []byte{0}, nil)
}

// wideEncoding recognises UTF-16 and UTF-32 by byte order mark or by the zeroes next to a first '<' or
// '{', and returns the number of bytes of the mark.
func wideEncoding(b []byte) (encoding.Encoding, int) {
	has := func(p string) bool { return bytes.HasPrefix(b, []byte(p)) }
	le16 := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	be16 := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	le32 := utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	be32 := utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	switch {
	case len(b) < 4:
		return nil, 0
	case has("\xff\xfe\x00\x00"):
		return le32, 4
	case has("\x00\x00\xfe\xff"):
		return be32, 4
	case has("\xff\xfe"):
		return le16, 2
	case has("\xfe\xff"):
		return be16, 2
	case has("<\x00\x00\x00"):
		return le32, 0
	case has("\x00\x00\x00<\x00"):
		return be32, 0
	case has("<\x00") && b[3] == 0, has("{\x00") && b[3] == 0:
		return le16, 0
	case has("\x00<\x00"), has("\x00{\x00"):
		return be16, 0
	}
	return nil, 0
}

// declaredEncodings returns the charsets that header and declaration name, in the order to try them.
// Names that are unknown or mean UTF-8, UTF-7 or a wide encoding are left out.
func declaredEncodings(headerName, declared string) []encoding.Encoding {
	var out []encoding.Encoding
	header, decl := lookupCharset(headerName), lookupCharset(declared)
	if header != nil && isSingleByteDefault(header) && decl != nil && isMultiByte(decl) {
		header, decl = decl, header
	}
	for _, e := range []encoding.Encoding{header, decl} {
		if e != nil && (len(out) == 0 || out[0] != e) {
			out = append(out, e)
		}
	}
	return out
}

// HeaderCharset reads the charset parameter of a Content-Type header, quoted or not.
func HeaderCharset(contentType string) string {
	lower := strings.ToLower(contentType)
	i := strings.Index(lower, "charset")
	if i < 0 {
		return ""
	}
	v := strings.TrimLeft(lower[i+len("charset"):], " \t")
	if !strings.HasPrefix(v, "=") {
		return ""
	}
	v = strings.Trim(v[1:], " \t\"'")
	if j := strings.IndexAny(v, "\"';, \t\r\n/>"); j >= 0 {
		v = v[:j]
	}
	return v
}

// DeclaredCharset reads the encoding of an XML declaration within the first kilobyte.
func DeclaredCharset(body []byte) string {
	head := body[:min(len(body), 1024)]
	i := declarationAt(head)
	if i < 0 {
		return ""
	}
	head = head[i+len("<?xml"):]
	if j := bytes.IndexByte(head, '>'); j >= 0 {
		head = head[:j]
	}
	low := strings.ToLower(string(head))
	j := strings.Index(low, "encoding")
	if j < 0 {
		return ""
	}
	v := strings.TrimLeft(low[j+len("encoding"):], " \t\r\n=")
	if v == "" || (v[0] != '"' && v[0] != '\'') {
		return ""
	}
	if k := strings.IndexByte(v[1:], v[0]); k >= 0 {
		return strings.TrimSpace(v[1 : 1+k])
	}
	return ""
}

// declarationAt finds an XML declaration, in whatever case; -1 when there is none. The bytes are in no
// known charset yet, so only ASCII is compared: lower-casing them would change their length.
func declarationAt(head []byte) int {
	for from := 0; ; {
		i := bytes.Index(head[from:], []byte("<?"))
		if i < 0 {
			return -1
		}
		from += i
		if rest := head[from+2:]; len(rest) >= 3 && rest[0]|0x20 == 'x' && rest[1]|0x20 == 'm' && rest[2]|0x20 == 'l' {
			return from
		}
		from += 2
	}
}

// charsetAliases are names seen in feeds that the WHATWG index does not have.
var charsetAliases = map[string]string{
	"cp932": "shift_jis", "ms932": "shift_jis", "sjis-win": "shift_jis", "x-sjis-cp932": "shift_jis",
	"cp936": "gbk", "cp949": "euc-kr", "uhc": "euc-kr", "cp950": "big5", "eucjp": "euc-jp",
	"euc_jp": "euc-jp", "eucjp-win": "euc-jp", "euc_kr": "euc-kr", "utf8mb4": "utf-8", "latin-1": "windows-1252",
	"windows1251": "windows-1251", "win-1251": "windows-1251", "win1251": "windows-1251",
	"windows1252": "windows-1252", "cp-1252": "windows-1252", "gb18030-2000": "gb18030",
}

func lookupCharset(name string) encoding.Encoding {
	if name == "" {
		return nil
	}
	if a, ok := charsetAliases[name]; ok {
		name = a
	}
	e, err := htmlindex.Get(name)
	if err != nil || e == encoding.Replacement {
		if e, err = ianaindex.IANA.Encoding(name); err != nil {
			return nil
		}
	}
	switch e {
	case nil, unicode.UTF8, encoding.Replacement:
		return nil
	}
	if n, err := htmlindex.Name(e); err == nil && strings.HasPrefix(n, "utf-16") {
		return nil // its bytes would have been recognised: the name is wrong
	}
	return e
}

func isUTF8Name(name string) bool { return name == "" || name == "utf-8" || name == "utf8" }

// run decodes; a byte that does not fit becomes U+FFFD. Decoders of x/text do not fail otherwise, and their output is
// valid UTF-8.
func run(e encoding.Encoding, b []byte) []byte {
	d := e.NewDecoder().Transformer
	out := make([]byte, len(b)+len(b)/2+64) // enough for all but half-width kana and Cyrillic
	n := 0
	for {
		wrote, read, err := d.Transform(out[n:], b, true)
		n += wrote
		b = b[read:]
		switch {
		case err == nil:
			return out[:n]
		case !errors.Is(err, transform.ErrShortDst):
			return bytes.ToValidUTF8(append(out[:n], b...), []byte("\ufffd"))
		}
		out = append(out[:n], make([]byte, n+len(b)+64)...)
	}
}

// cutDeclaration removes an XML declaration that names an encoding other than UTF-8.
func cutDeclaration(doc []byte) []byte {
	if isUTF8Name(DeclaredCharset(doc)) {
		return doc
	}
	lead := bytes.IndexByte(doc, '<')
	end := bytes.IndexByte(doc, '>')
	if lead < 0 || end < lead || !bytes.EqualFold(doc[lead:min(lead+5, len(doc))], []byte("<?xml")) {
		return doc
	}
	return doc[end+1:]
}

// DropControls removes what XML 1.0 (2.2, Char) forbids below U+0020, and U+007F.
func DropControls(b []byte) []byte {
	bad := func(c byte) bool { return c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f }
	i := 0
	for i < len(b) && !bad(b[i]) {
		i++
	}
	if i == len(b) {
		return b
	}
	out := append(make([]byte, 0, len(b)), b[:i]...)
	for _, c := range b[i:] {
		if !bad(c) {
			out = append(out, c)
		}
	}
	return out
}
