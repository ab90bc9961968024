package match

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// slowly folds as Strict is defined: without stops and what is hidden, the whole text by NFKC, then rune by rune. A
// broken byte is a replacement character.
func slowly(s string) string {
	var b strings.Builder
	blank := false
	s, _ = withoutStops(s)
	for _, r := range norm.NFKC.String(string(appendSeen(nil, s))) {
		if unicode.IsSpace(r) {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		if r = sign(r); r < 0 {
			continue
		}
		blank = false
		if r = unicode.ToLower(unicode.ToUpper(r)); r == 'ß' {
			b.WriteByte('s')
			r = 's'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func TestFold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, strict, loose, kana string }{
		{"Go  \u3000\n 1.26", "go 1.26", "go 1.26", "go 1.26"},
		{"Ｇｏ　１．２６", "go 1.26", "go 1.26", "go 1.26"},
		{"ｶﾞｼﾞｪｯﾄ㌔", "ガジェットキロ", "ガジェットキロ", "がじぇっときろ"},
		{"Café É", "café é", "cafe e", "cafe e"},
		{"Cafe\u0301 q\u0301\u0302x", "café q\u0301\u0302x", "cafe qx", "cafe qx"},
		{"ŁÓDŹ Ǿ Ǽ ŧħđ", "łódź ǿ ǽ ŧħđ", "lodz o ae thd", "lodz o ae thd"},
		{"Đỗ Việt", "đỗ việt", "do viet", "do viet"},
		{"Ἀθῆναι Ёж", "ἀθῆναι ёж", "αθηναι еж", "αθηναι еж"},
		{"мой Київ а\u0301", "мой київ а\u0301", "мой київ а", "мой київ а"}, // й is a letter of its own
		{"が か\u3099 ガ ヷ ヽー", "が が ガ ヷ ヽー", "が が ガ ヷ ヽー", "が が が ヷ ゝー"},
		// a word may begin at these marks
		{"a\u3099b กี e\u0e35", "a\u3099b กี e\u0e35", "a\u3099b กี e\u0e35", "a\u3099b กี e\u0e35"},
		{"ΟΔΥΣΣΕΥΣ Straße", "οδυσσευσ strasse", "οδυσσευσ strasse", "οδυσσευσ strasse"},
		{"STRASSE ẞ Cœur Æsir Œ", "strasse ss cœur æsir œ", "strasse ss coeur aesir oe", "strasse ss coeur aesir oe"},
		{"Þingvellir Ð Ŋ", "þingvellir ð ŋ", "thingvellir d n", "thingvellir d n"},
		{"أحمد إلى آدم مدرسة", "أحمد إلى آدم مدرسة", "احمد الي ادم مدرسه", "احمد الي ادم مدرسه"},
		{"فارسی کتاب", "فارسي كتاب", "فارسي كتاب", "فارسي كتاب"},
		{"a\xffb", "a\ufffdb", "a\ufffdb", "a\ufffdb"},
		{"＝\u0338 =\u0338", "≠ ≠", "≠ ≠", "≠ ≠"},
	} {
		for form, want := range []string{c.strict, c.loose, c.kana} {
			if got := Form(form).Fold(c.text); got != want {
				t.Errorf("form %d of %q is %q, want %q", form, c.text, got, want)
			}
		}
	}
	if Strict.Fold("ΟΔΥΣΣΕΥΣ") != Strict.Fold("οδυσσευς") {
		t.Error("the two small sigmas differ")
	}
}

// TestFoldVariants: what people cannot tell apart, or type with the same key, is the same in quotes too.
func TestFoldVariants(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"don't":    {"don't", "don’t", "don‘t", "donʼt", "don＇t", "don′t", "don´t", "don`t", "don‛t"},
		"covid-19": {"covid-19", "covid‐19", "covid‑19", "covid‒19", "covid–19", "covid−19", "covid－19", "covid﹣19"},
		"soft":     {"so\u00adft", "so\u200bft", "s\u200co\u200dft", "so\u2060ft", "\ufeffsoft", "so\u200e\u200fft"},
		"東京都庁":     {"東京\u200b都庁", "東\U000e0100京都庁", "東京都\ufe00庁"},
		"が":        {"か\u200b\u3099"},
		"1~2":      {"1～2", "1〜2", "1∼2"},
		"αλλ' x":   {"αλλ᾽ x", "αλλ᾿ x", "αλλ\u0384 x"},
		"צה\"ל":    {"צה״ל", "צה”ל"},
		"צ'יפס":    {"צ׳יפס", "צ’יפס"},
		"c'hoazh":  {"cꞌhoazh", "c՚hoazh"},
		"a-b":      {"a֊b", "a⁃b"},
		"1/2":      {"½", "1⁄2", "1∕2"},
		"c# f#":    {"C♯ F♯"},
		"2026":     {"٢٠٢٦", "۲۰۲۶", "२०२६", "২০২৬", "๒๐๒๖", "２０２６"},
		"\"a\"":    {"“a”", "„a“", "＂a＂", "〝a〟"},
		"❤":        {"❤\ufe0f", "❤\ufe0e"},
		"👩👧":       {"👩\u200d👧"},
		"محمد":     {"مُحَمَّد", "محـمد"},
		"שלום":     {"שָׁלוֹם"},
		"usa":      {"USA", "U.S.A.", "U.S.A", "u.s.a.", "Ｕ．Ｓ．Ａ．"},
		"the us, ": {"the U.S., "},
		"сша.x":    {"США.x"},
		"сша и":    {"С.Ш.А. и"},
		"a.b.com":  {"a.b.com"},
		"x.y a.bc": {"x.\u00ady a.bc"},
		"node.js.": {"node.js."},
		"aa.b. .c": {"aa.b. .c"},
		"v1.2.3":   {"v1.2.3"},
		"日au本":     {"日A.U.本"},
		"usa's":    {"U.S.A.’s"},
	} {
		for _, text := range texts {
			if got := Strict.Fold(text); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		}
	}
}

// TestPlain asks Unicode's tables about every rune of the quick check.
func TestPlain(t *testing.T) {
	t.Parallel()
	count := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if foldCase(r) != unicode.ToLower(unicode.ToUpper(r)) || isSpace(r) != unicode.IsSpace(r) {
			t.Errorf("%U folds to %U", r, foldCase(r))
		}
		if isCJK(r) && (!unicode.IsLetter(r) || !unicode.In(r, unspaced...) && (r < 0x3000 || r > 0x30ff)) {
			t.Errorf("%U is no letter without spaces", r)
		}
		if utf8.RuneLen(r) > 1 && IsWord(r) != (isPicture(r) || unicode.IsLetter(r) || unicode.IsNumber(r) ||
			unicode.IsMark(r)) {
			t.Errorf("%U is a part of words: %v", r, IsWord(r))
		}
		to, ok := plain(r)
		if !ok {
			continue
		}
		count++
		if got := norm.NFKC.String(string(r)); got != string(to) ||
			!norm.NFKC.PropertiesString(string(r)).BoundaryBefore() || unicode.IsMark(r) {
			t.Errorf("%U is not plain: %q", r, got)
		}
	}
	if count < 80_000 {
		t.Errorf("%d plain runes", count)
	}
}

// traps are runes whose normal form depends on what stands around them, or is long.
var traps = []rune(
	"\u00ad\u200b\ufeff\U000e0100’′‑−〜„ßẞæœё.．.þðأإىةیک٢२๑״׳⁄½♯" +
		"\u0300\u0301\u0308\u0338\u034f\u3099\u309a\u1100\u1161\u11a8\u0e33\u0e35\u0e49\u200d\ufe0f\uffa0\ufdfa\ufb01\u00b4\u00a8\u2126\u212b\u0130\u0131\u017f\u1e9b\u0345\u03d2㌔ｶﾞﾊﾟｱー＝Ａｅ１①½…ǅ가각ᄀ\u0958\u0929\u093c\u0344\u1fbd\u2000\u00a0\u3000 \n-・Åéøłđ")

// randomText mixes letters of many scripts, traps, blanks and broken bytes.
func randomText(r *rand.Rand, most int) string {
	var b strings.Builder
	for n := r.IntN(most); n > 0; n-- {
		switch r.IntN(12) {
		case 0, 1, 2:
			b.WriteByte("abcdeABCDE =.-_\t 019"[r.IntN(20)])
		case 3, 4:
			b.WriteRune('あ' + rune(r.IntN(0xc0)))
		case 5:
			b.WriteRune('一' + rune(r.IntN(300)))
		case 6:
			b.WriteRune(0xc0 + rune(r.IntN(0x400)))
		case 7:
			b.WriteRune(rune(r.IntN(0x30000)))
		case 8:
			b.WriteByte(byte(r.IntN(256)))
		default:
			b.WriteRune(traps[r.IntN(len(traps))])
			for r.IntN(40) == 0 {
				b.WriteString(strings.Repeat("\u0301\u0327", 20))
			}
		}
	}
	return b.String()
}

// many is how many random texts a test tries: a tenth in a short run.
func many(full uint64) uint64 {
	if testing.Short() {
		return full / 10
	}
	return full
}

// TestFoldIsItsDefinition: with the quick check, text folds to what it folds to without. 300,000 texts.
func TestFoldIsItsDefinition(t *testing.T) {
	t.Parallel()
	for seed := range many(300_000) {
		if s := randomText(rand.New(rand.NewPCG(seed, 1)), 24); Strict.Fold(s) != slowly(s) {
			t.Fatalf("seed %d: %q folds to %q, want %q", seed, s, Strict.Fold(s), slowly(s))
		}
	}
}

// TestLaterFormsFindMore: what is found in a form is found in every later one, at least up to the first place; the last
// form is what the index of searches proposes candidates by.
//
// And the place where it is found leads back to a part of the text that has it.
func TestLaterFormsFindMore(t *testing.T) {
	t.Parallel()
	found, texts := 0, many(100_000)
	for seed := range texts {
		r := rand.New(rand.NewPCG(seed, 2))
		text := randomText(r, 16)
		runes := []rune(text)
		from := r.IntN(len(runes) + 1)
		word := strings.TrimSpace(Strict.Fold(string(runes[from : from+r.IntN(len(runes)-from+1)])))
		for _, isOpen := range []bool{false, true} {
			lo, hi, ok := Find(Strict.Fold(text), word, isOpen)
			if !ok {
				continue
			}
			found++
			shows(t, Strict, text, word, lo, hi)
			for _, later := range []Form{Loose, Kana} {
				w := later.Loosen(word)
				lo, hi, ok := Find(later.Fold(text), w, isOpen)
				if !ok {
					t.Fatalf("seed %d: %q (open: %v) is in %q, but %q not in form %d", seed, word, isOpen,
						text, w, later)
				}
				shows(t, later, text, w, lo, hi)
			}
		}
	}
	if found < int(texts)/5 {
		t.Errorf("only %d words were found", found)
	}
}

// noStops takes the full stops out: without the text around it, a.c is an abbreviation, whose stops Fold leaves out.
func noStops(s string) string { return strings.ReplaceAll(s, ".", "") }

func shows(t *testing.T, f Form, text, word string, lo, hi int) {
	t.Helper()
	from, to := f.Locate(text, lo, hi)
	if from < 0 || from > to || to > len(text) || !strings.Contains(noStops(f.Fold(text[from:to])), noStops(word)) {
		t.Fatalf("form %d: %q at %d in %q is located at %d, %d", f, word, lo, text, from, to)
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	marks := strings.Repeat("\u0301", 100)
	for _, c := range []struct {
		form             Form
		text, word, want string
	}{
		{Strict, "１２㌔走る", "キロ", "㌔"},
		{Strict, "12 ㌔ 走る", "キロ", "㌔"},
		{Strict, "x  \n y", "x y", "x  \n y"},
		{Strict, "株ﾎﾟﾝﾄﾞ高", "ポンド", "ﾎﾟﾝﾄﾞ"},
		{Loose, "un Cafe\u0301!", "cafe", "Cafe\u0301"},
		{Kana, "空ガ飛ぶ", "が", "ガ"},
		{Strict, "a" + marks + " bc", "bc", "bc"},
		{Strict, "der so\u00adft", "soft", "so\u00adft"},
		{Strict, "in the U.S.A. now", "usa", "U.S.A"},
		{Strict, "A.B. of the U.S.A.!", "usa", "U.S.A"},
		{Strict, "A.B. or x", "or", "or"},
		{Strict, "im Straße", "strasse", "Straße"},
		{Loose, "a" + marks + " bc", "bc", "bc"},
	} {
		lo, hi, ok := Find(c.form.Fold(c.text), c.word, false)
		from, to := c.form.Locate(c.text, lo, hi)
		if !ok || c.text[from:to] != c.want {
			t.Errorf("%q in %q is %q (%v)", c.word, c.text, c.text[from:to], ok)
		}
	}
}

// TestMaxFolded: all forms of a long text end at the same place, and text that grows under NFKC stays bounded.
func TestMaxFolded(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a", "é", "東", "カ", "ﷺ", "x\u0301", " \u0301"} {
		text := strings.Repeat(unit, MaxFolded/len(unit)) + "bc" + strings.Repeat(unit, MaxFolded)
		strict := Strict.Fold(text)
		if len(strict) > MaxFolded || len(strict) < MaxFolded-4 {
			t.Errorf("%q folds to %d bytes", unit, len(strict))
		}
		for _, later := range []Form{Loose, Kana} {
			if later.Fold(text) != later.Loosen(strict) {
				t.Errorf("form %d of %q ends elsewhere", later, unit)
			}
		}
	}
}

// FuzzFold: no text takes folding down or makes it endless, and what is found is where it is located.
func FuzzFold(f *testing.F) {
	f.Add("Ｇｏ言語 の話", "go")
	f.Add("ｶﾞｼﾞｪｯﾄ㌔", "キロ")
	f.Add("Cafe\u0301\u0301 \xff x", "café")
	f.Add("أحمد ٢٠٢٦ ½ Þing צה״ל", "thing")
	f.Fuzz(func(t *testing.T, text, word string) {
		strict := Strict.Fold(text)
		if want := slowly(text); strict != want && len(want) <= MaxFolded {
			t.Errorf("%q folds to %q, want %q", text, strict, want)
		}
		for form := Strict; form <= Kana; form++ {
			folded, w := form.Fold(text), strings.TrimSpace(form.Fold(word))
			if folded != form.Loosen(strict) {
				t.Errorf("form %d of %q is %q", form, text, folded)
			}
			if lo, hi, ok := Find(folded, w, true); ok {
				shows(t, form, text, w, lo, hi)
			}
		}
	})
}

func BenchmarkFold(b *testing.B) {
	for name, s := range map[string]string{
		"english":  strings.Repeat("The quick brown fox jumps over the lazy dog. ", 25),
		"japanese": strings.Repeat("新しい版では多くの改善があり、ガベージコレクションも速くなりました。", 11),
		"mixed":    strings.Repeat("Go 1.26では多くの改善があり、GCも速くなりました。 ", 20),
		"french":   strings.Repeat("Une forêt très épaisse où l'été s'attarde déjà. ", 22),
	} {
		for f, form := range []string{"strict", "loose", "kana"} {
			b.Run(name+"/"+form, func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					Form(f).Fold(s)
				}
			})
		}
	}
}
