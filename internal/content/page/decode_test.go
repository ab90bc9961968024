package page

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"
)

// TestDecode: the bytes decide, whatever header and page say of them or keep silent about.
func TestDecode(t *testing.T) {
	t.Parallel()
	const (
		japan  = "<p>東京の天気は晴れ、明日からは雨になるでしょう。</p>"
		russia = "<p>Погода в Москве: сегодня ясно, завтра дождь.</p>"
		korea  = "<p>서울의 날씨는 맑고 내일은 비가 옵니다.</p>"
		france = "<p>Météo à Orléans : très ensoleillé, pluie dès demain.</p>"
	)
	none := encoding.Nop
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	padding := "<style>" + strings.Repeat(".a { color: red }\n", 2000) + "</style>"
	tests := map[string]struct {
		page   string
		in     encoding.Encoding
		header string
		lang   string
	}{
		"UTF-8":                             {japan, none, "text/html", ""},
		"UTF-8 with another header":         {japan, none, "text/html; charset=iso-8859-1", ""},
		"UTF-8 with a byte order mark":      {"\ufeff" + japan, none, "text/html; charset=shift_jis", "ja"},
		"UTF-16 with a byte order mark":     {japan, utf16, "", ""},
		"Shift_JIS without a declaration":   {japan, japanese.ShiftJIS, "text/html", ""},
		"EUC-JP without a declaration":      {japan, japanese.EUCJP, "", ""},
		"ISO-2022-JP without a declaration": {japan, japanese.ISO2022JP, "text/html", ""},
		"Shift_JIS behind long styles":      {padding + japan, japanese.ShiftJIS, "text/html", ""},
		"Shift_JIS of the header":           {japan, japanese.ShiftJIS, "text/html; charset=Shift_JIS", "ja"},
		"Shift_JIS of the page": {`<meta charset="shift_jis">` + japan, japanese.ShiftJIS,
			"text/html", "ja"},
		"EUC-JP of the page, as a header": {
			`<META http-equiv="Content-Type" content="text/html; charset=EUC-JP"/>` + japan, japanese.EUCJP, "", "ja"},
		"EUC-JP of the page, without quotes": {`<meta charset=euc-jp>` + japan, japanese.EUCJP, "text/html", "ja"},
		"EUC-JP of an XML declaration": {`<?xml version="1.0" encoding="EUC-JP"?><html>` + japan,
			japanese.EUCJP, "application/xhtml+xml", "ja"},
		"a comment declares nothing": {`<!-- <meta charset="windows-1251"> --><meta charset="euc-kr">` +
			korea, korean.EUCKR, "text/html", "ko"},
		"Shift_JIS, the header says Latin-1": {japan, japanese.ShiftJIS, "text/html; charset=ISO-8859-1", ""},
		"EUC-JP, the page says Latin-1": {`<meta charset="iso-8859-1">` + japan, japanese.EUCJP,
			"text/html", ""},
		"Shift_JIS, the header says EUC-JP": {japan, japanese.ShiftJIS, "text/html; charset=euc-jp", "ja"},
		"Shift_JIS, the header says UTF-8":  {japan, japanese.ShiftJIS, "text/html; charset=utf-8", ""},
		"Shift_JIS of the page, header of UTF-8": {`<meta charset="shift_jis">` + japan, japanese.ShiftJIS,
			"text/html; charset=utf-8", "ja"},
		"windows-1251 of the page": {`<meta charset="windows-1251">` + russia, charmap.Windows1251,
			"text/html", ""},
		"windows-1251 of the header":         {russia, charmap.Windows1251, "text/html; charset=windows-1251", ""},
		"windows-1252 without a declaration": {france, charmap.Windows1252, "text/html", ""},
		"windows-1252 of the header":         {france, charmap.Windows1252, "text/html; charset=iso-8859-1", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := tt.in.NewEncoder().String(tt.page)
			if err != nil {
				t.Fatal(err)
			}
			text, lang := Decode([]byte(body), tt.header)
			if want := strings.TrimPrefix(tt.page, "\ufeff"); string(text) != want || lang != tt.lang {
				t.Errorf("%q, language %q\nwant %q, %q", text, lang, want, tt.lang)
			}
		})
	}
}

// TestDecodeOfAPart: what a limit cuts in the middle of a character is no other charset.
func TestDecodeOfAPart(t *testing.T) {
	t.Parallel()
	text, _ := Decode([]byte("<p>東京の天気</p><p>明日")[:len("<p>東京の天気</p><p>明日")-1], "text/html; charset=iso-8859-1")
	if want := "<p>東京の天気</p><p>明\ufffd"; string(text) != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// TestDecodeOfShortTexts: a few words are enough.
func TestDecodeOfShortTexts(t *testing.T) {
	t.Parallel()
	for in, texts := range map[encoding.Encoding][]string{
		japanese.ShiftJIS: {"日記の更新", "お知らせ", "東京都庁のニュース", "ブログ", "新着記事"},
		japanese.EUCJP:    {"日記の更新", "お知らせ", "東京都庁のニュース", "ブログ"},
		korean.EUCKR:      {"오늘의 뉴스", "서울 날씨"},
	} {
		for _, want := range texts {
			body, err := in.NewEncoder().String(want)
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := Decode([]byte(body), "text/html"); string(text) != want {
				t.Errorf("%v: %q, want %q", in, text, want)
			}
		}
	}
}
