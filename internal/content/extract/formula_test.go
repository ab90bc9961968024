package extract

import "testing"

// Formulas and drawings are in snippets and in the text for the search as in the article: once, and as what they say.
func TestFormulasInText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"power": {
			`A <math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>e</mi><mrow><mi>k</mi><mi>t</mi></mrow></` +
				`msup></math> B`, "A e^(kt) B"},
		"half":     {`A <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>, B`, "A 1/2, B"},
		"a prefix": {`A <mml:math><mml:msqrt><mml:mn>2</mml:mn></mml:msqrt></mml:math> B`, "A √2 B"},
		"KaTeX": {
			`A <span class="katex"><span ` +
				`class="katex-mathml"><math><semantics><mrow><msup><mi>e</mi><mi>x</mi></msup></mrow><annotation ` +
				`encoding="application/x-tex">e^{x}</annotation></semantics></math></span><span class="katex-html" ` +
				`aria-hidden="true"><span class="mord">e</span><span class="msupsub">x</span></span></span> B`,
			"A e^x B"},
		"MathJax 2": {
			`A <span class="MathJax_Preview">e^x</span><span class="MathJax"><nobr>ex</nobr></span><script ` +
				`type="math/tex">e^{x}</script> B`, "A e^{x} B"},
		"with MathML": {
			`A <span class="MathJax"><nobr>ex</nobr><span><math><mi>x</mi></math></span></span><script ` +
				`type="math/tex">x</script> B`, "A x B"},
		"MathJax 3": {
			`A <mjx-container ` +
				`class="MathJax"><mjx-math><mjx-c>x</mjx-c></mjx-math><mjx-assistive-mml><math><mi>x</mi></math></` +
				`mjx-assistive-mml></mjx-container> B`, "A x B"},
		"TeX in a script": {`A <script type="math/tex">% <![CDATA[ a < b %]]></script> B`, "A a < b B"},
		"a plain script":  {`A <script>x</script> B`, "A B"},
		"a chart":         {`A<svg aria-label="Sales"><text>1</text></svg>B`, "A Sales B"},
		"texts":           {`A <svg><style>x</style><text>2024</text><text>12</text></svg> B`, "A 2024 12 B"},
		"an open formula": {`A <math><mi>x</mi> B`, "A"},
	} {
		out, _ := appendPlain(nil, []byte(c.in), 0)
		if string(out) != c.want {
			t.Errorf("%s: %q, want %q", name, out, c.want)
		}
	}
}
