package api

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// How to add a code: write fault.Newf(kind, "my_code", "An English sentence.") where it happens, add one line to
// codeWords in words_table.go,
//
//	{code: "my_code", say: text{"", "日本語の文。"}, do: correct},
//
// and run: go test ./internal/api -run TestCodes -update (it writes the table in docs/api.md).
// An empty English sentence means the one that the error brings; then all errors of this code must bring the
// same. A sentence of the table may have the values of Newf as %d or %[2]s, in any order. Without `do` the
// remedy of the kind is told. For one field of a request: fault.Newf(…).At("field"); for several at once:
// fault.Several(…). A code that no caller can cause goes to `ours` instead, and is answered as "internal".

// text is a sentence in English and in Japanese.
type text struct{ en, ja string }

func (t text) in(lang string) string {
	if lang == japanese {
		return t.ja
	}
	return t.en
}

// words are what people read of a code: what happened and what to do. Category and status are those of the
// error's kind where none are set.
type words struct {
	code     string
	say, do  text
	category string
	status   int
}

// message gives the sentence in a language, with the values of the error in it.
func (w words) message(lang string, fe *fault.Error) string {
	s := w.say.in(lang)
	if lang == english && s == "" {
		return fe.Message
	}
	if strings.Contains(s, "%") {
		s = fmt.Sprintf(s, fe.Args...)
	}
	return s
}

func (w words) action(lang string) string { return w.do.in(lang) }

// wordsOf finds the words of a code. Those of feeds' faults have their English in package reader.
func wordsOf(code string) (words, bool) {
	if w, ok := ownWords(code); ok {
		return w, true
	}
	if w, ok := feedWords[code]; ok {
		if f := reader.FaultOf(code); w.say.en == "" {
			w.say.en, w.do.en = f.Message, f.Action
		}
		w.category, w.status = cmp.Or(w.category, "feed"), cmp.Or(w.status, http.StatusUnprocessableEntity)
		return w, true
	}
	if w, ok := entryWords[code]; ok {
		return w, true
	}
	return words{}, false
}

// ownWords looks codeWords through: an error is rare.
func ownWords(code string) (words, bool) {
	for i := range codeWords {
		if codeWords[i].code == code {
			return codeWords[i], true
		}
	}
	return words{}, false
}

// kindWords is the one table from a kind of fault to the wire.
type kindWords struct {
	words
	wait time.Duration
}

var kinds = map[fault.Kind]kindWords{
	fault.Invalid: {words: words{
		status: http.StatusBadRequest, category: "validation",
		say: text{"The request is not right.", "リクエストに誤りがあります。"}, do: correct,
	}},
	fault.Unauthenticated: {words: words{
		status: http.StatusUnauthorized, category: "auth",
		say: text{"You are not signed in, or your sign-in has expired.", "ログインしていないか、ログインの期限が切れています。"}, do: signIn,
	}},
	fault.Forbidden: {words: words{
		status: http.StatusForbidden, category: "auth",
		say: text{"You may not do this.", "この操作は許可されていません。"},
		do:  text{"Sign in as somebody who may.", "許可されているユーザーでログインしてください。"},
	}},
	fault.NotFound: {words: words{
		status: http.StatusNotFound, category: "validation",
		say: text{"There is no such thing.", "見つかりません。"}, do: backToList,
	}},
	fault.Conflict: {words: words{
		status: http.StatusConflict, category: "validation",
		say: text{"This does not fit how things are now.", "いまの状態ではできません。"}, do: reload,
	}},
	fault.TooLarge: {words: words{
		status: http.StatusRequestEntityTooLarge, category: "validation",
		say: text{"This is too large.", "大きすぎます。"}, do: sendLess,
	}},
	fault.RateLimited: {words: words{
		status: http.StatusTooManyRequests, category: "system",
		say: text{"There were too many requests.", "リクエストが多すぎます。"}, do: waitALittle,
	}, wait: 5 * time.Second},
	fault.Unavailable: {words: words{
		status: http.StatusServiceUnavailable, category: "system",
		say: text{"The storage does not answer at the moment.", "いまは保存先が応答しません。"}, do: inAMoment,
	}, wait: 5 * time.Second},
	fault.Cancelled: {words: words{
		status: http.StatusServiceUnavailable, category: "system",
		say: text{"The request took too long.", "処理に時間がかかりすぎました。"}, do: again,
	}},
	fault.Internal: {words: words{
		status: http.StatusInternalServerError, category: "system",
		say: text{"Something went wrong on our side.", "サーバー側で問題が起きました。"}, do: tellOwner,
	}},
}

// Remedies that many codes share.
var (
	correct     = text{"Correct the request.", "リクエストを直してください。"}
	correctIt   = text{"Correct what was entered.", "入力を直してください。"}
	itComes     = text{"The feed is also checked by itself.", "フィードは自動でも確認されます。"}
	signIn      = text{"Sign in.", "ログインしてください。"}
	fourWords   = text{"Choose another one, such as four words that have nothing to do with each other.", "別のパスワードにしてください。互いに関係のない四つの言葉などがよいでしょう。"}
	backToList  = text{"Go back to the list.", "一覧に戻ってください。"}
	reload      = text{"Reload and try again.", "読み込み直して、もう一度お試しください。"}
	openAnew    = text{"Open the list anew.", "一覧を開き直してください。"}
	sendLess    = text{"Send less.", "小さくして送ってください。"}
	waitALittle = text{"Wait a little and try again.", "少し待って、もう一度お試しください。"}
	inAMoment   = text{"Try again in a moment.", "しばらくして、もう一度お試しください。"}
	siteLater   = text{"Try again later. If it lasts, open the address in a browser to see whether the site is there.", "後でもう一度お試しください。続くときは、ブラウザで開けるか確かめてください。"}
	siteBrowser = text{"Open the address in a browser. If it works there, tell the publisher.", "ブラウザで開いて確かめてください。そこで開けるなら、配信元に知らせてください。"}
	again       = text{"Try again.", "もう一度お試しください。"}
	tellOwner   = text{
		"Try again; if it stays so, tell the owner the code and the request id.",
		"もう一度お試しください。続くときは、コードとリクエスト ID を所有者に伝えてください。",
	}
	exportAgain = text{
		"Export the subscriptions once more and import that file.", "購読リストをもう一度書き出して、そのファイルを取り込んでください。",
	}
	chooseOPML = text{
		"Export the subscriptions as OPML in your other reader, and choose that file.",
		"ほかのリーダーで購読リストを OPML として書き出し、そのファイルを選んでください。",
	}
)

// Words gives the sentence and the remedy of a code that has its own, for surfaces that are no HTTP.
func Words(code string) (string, bool) {
	w, ok := ownWords(code)
	return w.say.en + " " + w.do.en, ok && w.say.en != "" && w.do.en != ""
}
