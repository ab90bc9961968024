package formula

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func read(in string) *Formula {
	z := html.NewTokenizer(strings.NewReader(in))
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, has := z.TagName(); IsMath(string(name)) {
				var attrs []html.Attribute
				if has {
					attrs = Attributes(z)
				}
				f, _ := Read(z, attrs, tt == html.SelfClosingTagToken)
				return f
			}
		}
	}
}

func TestFormulas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, markup, text string }{
		"power": {
			`<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>e</mi><mrow><mi>k</mi><mi>t</mi></mrow></` +
				`msup></math>`, `<math><msup><mi>e</mi><mrow><mi>k</mi><mi>t</mi></mrow></msup></math>`, "e^(kt)"},
		"half": {`<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>`,
			`<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>`, "1/2"},
		"root": {`<math><msqrt><mn>2</mn></msqrt></math>`, `<math><msqrt><mn>2</mn></msqrt></math>`, "√2"},
		"mixed number": {`<math><mn>1</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>`,
			`<math><mn>1</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>`, "1 1/2"},
		"sum": {
			`<math display="block"><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></` +
				`munderover><msub><mi>a</mi><mi>i</mi></msub></math>`,
			`<math display="block"><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></` +
				`munderover><msub><mi>a</mi><mi>i</mi></msub></math>`, "∑_(i=1)^na_i"},
		"annotations go": {
			`<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x</annotation><annotation-xml ` +
				`encoding="text/html"><p>y</p><math><mi>z</mi></math></annotation-xml></semantics></math>`,
			`<math><mrow><mi>x</mi></mrow></math>`, "x"},
		"prefixes": {`<mml:math><mml:mi>x</mml:mi></mml:math>`, `<math><mi>x</mi></math>`, "x"},
		"links go": {`<math href="javascript:alert(1)"><mrow href="https://e.example" onclick="x()" ` +
			`style="color:red" class="c" id="i"><mi>x</mi></mrow></math>`, `<math><mrow><mi>x</mi></mrow></math>`, "x"},
		"actions": {`<math><maction actiontype="toggle"><mi>x</mi><mi>y</mi></maction></math>`,
			`<math><mrow><mi>x</mi></mrow></math>`, "x"},
		"fences": {`<math><mfenced open="[" close=")"><mi>x</mi><mi>y</mi></mfenced></math>`,
			`<math><mrow><mo>[</mo><mi>x</mi><mo>,</mo><mi>y</mi><mo>)</mo></mrow></math>`, "[x,y)"},
		"HTML in a token": {`<math><mtext>a<b>b</b> <span>c</span></mtext></math>`,
			`<math><mtext>ab c</mtext></math>`, "ab c"},
		"glyphs": {`<math><mtext><mglyph src="x" alt="g"/></mtext><malignmark/></math>`,
			`<math><mtext>g</mtext></math>`, "g"},
		"a loose text": {`<math>x &lt; y</math>`, `<math><mtext>x &lt; y</mtext></math>`, "x < y"},
		"an attack": {`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 ` +
			`onerror=alert(1)&gt;">`, ``, ""},
		"content markup": {`<math alttext="a plus b"><apply><plus/><ci>a</ci><ci>b</ci></apply></math>`,
			``, "a plus b"},
		"content with TeX": {
			`<math><semantics><apply><plus/><ci>a</ci></apply><annotation ` +
				`encoding="application/x-tex">a+b</annotation></semantics></math>`, ``, "a+b"},
		"a matrix": {
			`<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>` +
				`4</mn></mtd></mtr></mtable></math>`,
			`<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>` +
				`4</mn></mtd></mtr></mtable></math>`, "1, 2; 3, 4"},
		"numbers apart": {`<math><mn>1</mn><mn>2</mn><mi>sin</mi><mi>x</mi></math>`,
			`<math><mn>1</mn><mn>2</mn><mi>sin</mi><mi>x</mi></math>`, "1 2 sinx"},
		"an open fence": {`<math><mfenced><mi>x</mi>`, `<math><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow></math>`,
			"(x)"},
		"nothing":                      {`<math><mrow></mrow></math>`, ``, ""},
		"control characters":           {"<math><mi>\x00</mi><mtext>\x01 \x7f</mtext></math>", ``, ""},
		"control characters go":        {"<math><mi>\x01x</mi></math>", `<math><mi>x</mi></math>`, "x"},
		"a fence without a sign":       {"<math><mfenced open='\x01' close=''></mfenced></math>", ``, ""},
		"blanks with alternative text": {"<math alttext='x'><mi>\x00</mi></math>", ``, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := read(c.in)
			markup, _, _ := f.HTML()
			if markup != c.markup {
				t.Errorf("markup\n got %s\nwant %s", markup, c.markup)
			}
			if text := f.Text(); text != c.text {
				t.Errorf("text %q, want %q", text, c.text)
			}
			if markup != "" {
				if again, _, _ := read(markup).HTML(); again != markup {
					t.Errorf("again: %s", again)
				}
			}
		})
	}
}

func TestDeepFormulasTakeLinearTime(t *testing.T) {
	t.Parallel()
	in := "<math>" + strings.Repeat("<msup><mi>x</mi>", 100_000) + "<mn>2</mn>"
	f := read(in)
	f.HTML()
	if text := f.Text(); !strings.HasPrefix(text, "x") {
		t.Errorf("%.40q", text)
	}
}

// What is written is read by a browser's parser as it was meant, stays so when written by the browser and read again,
// and comes back the same from this package.
func FuzzFormula(f *testing.F) {
	for _, seed := range []string{
		`<math><msup><mi>e</mi><mn>2</mn></msup></math>`, `<math><mtext><table><mglyph><style><!--`,
		`<math><mi><svg><style>&lt;img src=x onerror=1&gt;`,
		`<math><annotation-xml encoding="text/html"><img src=x></annotation-xml></math>`,
		`<math><mfenced separators=";,"><mi>a</mi><mi>b</mi><mi>c</mi></mfenced>`,
		`<math><math><mi>x</math><mo>&amp;lt;</mo>`, `<m:math alttext='"&gt;<'><m:mspace width="1em"/>x`,
		`<math><mi>a <b> b`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		formula := read(strings.ToValidUTF8(in, "\uFFFD"))
		if formula == nil {
			return
		}
		formula.Text()
		markup, depth, ok := formula.HTML()
		if !ok {
			return
		}
		if again, d, _ := read(markup).HTML(); again != markup || d > depth {
			t.Fatalf("not stable\n in: %q\nout: %q\n2nd: %q", in, markup, again)
		}
		once := render(t, markup)
		if twice := render(t, once); twice != once || once != render(t, "<p>"+markup+"</p>")[3:len(once)+3] {
			t.Fatalf("a browser reads it differently\n in: %q\nout: %q\n1st: %q", in, markup, once)
		}
	})
}

func render(t *testing.T, markup string) string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader("<!doctype html><body><div>" + markup + "</div>"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Data != "div" {
			continue
		}
		var b strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.ElementNode && d.Namespace != "math" && d.Data != "p" || d.Namespace == "math" &&
				d.Data != "math" && elements[d.Data] == 0 {
				t.Fatalf("<%s> in %q", d.Data, markup)
			}
		}
		for c := range n.ChildNodes() {
			if err := html.Render(&b, c); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	t.Fatalf("no place: %q", markup)
	return ""
}
