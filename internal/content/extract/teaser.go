package extract

import "strings"

const (
	// maxTeaser bounds the markup around a teaser: a paragraph and a link with classes of its own.
	maxTeaser = 1 << 10
	// maxTeaserText bounds its text in bytes, with the dots and arrows around it.
	maxTeaserText = 100
)

// IsTeaser reports whether a text or its markup only invites to read on elsewhere, or says that there is none.
// Publishers put that where the text should be.
func IsTeaser(markup string) bool {
	if len(markup) == 0 || len(markup) > maxTeaser {
		return false
	}
	for _, shown := range [...]string{"<img", "<iframe", "<video", "<audio"} {
		if strings.Contains(markup, shown) {
			return false
		}
	}
	plain, _ := appendPlain(nil, []byte(markup), maxTitle)
	return isTeaserText(string(plain))
}

// isTeaserText is IsTeaser for a text without markup.
func isTeaserText(plain string) bool {
	if len(plain) > maxTeaserText {
		return false
	}
	switch strings.ToLower(strings.Trim(plain, " .…・»›>→⟶⇒▶[]()（）「」【】\u00a0\u3000-–—:：")) {
	case "read more", "read more here", "read on", "read the full article", "read the full story", "read full article",
		"read full story", "read the rest", "continue reading", "keep reading", "view more", "see more", "show more",
		"learn more", "click here to read more", "more", "full story", "no description", "no description available",
		"続きを読む", "続きはこちら", "続きをみる", "続きを見る", "もっと読む", "もっと見る", "全文を読む",
		"記事を読む", "詳細はこちら", "詳しくはこちら",
		"weiterlesen", "mehr lesen", "mehr", "mehr erfahren", "zum artikel", "jetzt lesen", "den ganzen artikel lesen",
		"lire la suite", "lire plus", "en savoir plus", "leer más", "seguir leyendo", "continuar leyendo",
		"sigue leyendo",
		"leia mais", "ler mais", "continue lendo", "saiba mais", "leggi tutto", "continua a leggere", "continua",
		"lees meer", "lees verder", "läs mer", "les mer", "læs mere", "lue lisää", "czytaj więcej", "czytaj dalej",
		"читать далее", "читать дальше", "читать полностью", "подробнее", "далее", "더 보기", "더보기", "계속 읽기", "자세히 보기",
		"阅读全文", "阅读更多", "查看全文", "继续阅读", "閱讀全文", "閱讀更多", "繼續閱讀":
		return true
	}
	return false
}
