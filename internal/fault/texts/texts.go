// Package texts holds the sentences about errors and failing feeds that people read, in English and Japanese: the
// table by code, for the API and the command line.
//
// To add an error code, return fault.Coded(kind, "my_code", values...) where it happens, add one line to Errors,
//
//	"my_code": {Text{"An English sentence.", "日本語の文。"}, correctRequest},
//
// and run: go test ./internal/api -run TestCodes -update (it writes docs/use/codes.md). A sentence may use the values
// as %d or %[2]s, in any order. A code that no caller can cause goes to api.internalCodes instead.
package texts

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// The languages.
const (
	English  = "en"
	Japanese = "ja"
)

// Text is a sentence in English and in Japanese.
type Text struct{ En, Ja string }

// In returns the sentence in a language; every language but Japanese gets English.
func (t Text) In(language string) string {
	if language == Japanese {
		return t.Ja
	}
	return t.En
}

// Texts describe an error and its remedy.
type Texts struct{ Message, Action Text }

// Of returns the texts of a code: of an error of ours, of a site when somebody entered its address, of a failing feed,
// or of an entry of an OPML file.
func Of(code string) (t Texts, ok bool) {
	for _, table := range []map[string]Texts{Errors, Sites, Feeds, Entries} {
		if t, ok = table[code]; ok {
			return t, ok
		}
	}
	return unusual(Sites, code)
}

// unusual returns the texts of an HTTP status without texts of its own: those of any other answer, with the status.
func unusual(table map[string]Texts, code string) (t Texts, ok bool) {
	status := reader.StatusOf(code)
	if status == "" {
		return t, false
	}
	t = table[reader.CodeHTTPOther]
	t.Message.En = strings.TrimSuffix(t.Message.En, ".") + " (" + status + ")."
	t.Message.Ja = strings.TrimSuffix(t.Message.Ja, "。") + "（" + status + "）。"
	return t, true
}

// Entry returns the texts of why an entry of an OPML file was not imported.
func Entry(code string) Texts {
	if t, ok := Entries[code]; ok {
		return t
	}
	t, _ := Of(code)
	return t
}

// Describe returns the message and the action of an error, those of its kind where its code has none.
func Describe(e *fault.Error, language string) (message, action string) {
	t, _ := Of(e.Code)
	message = t.Message.In(language)
	if strings.Contains(message, "%") {
		message = fmt.Sprintf(message, e.Args...)
	}
	kind := kindTexts[e.Kind]
	return cmp.Or(message, kind.Message.In(language)), cmp.Or(t.Action.In(language), kind.Action.In(language))
}

// EnglishMessage returns the message of an error for lists that keep it as text: the code where there is no other.
func EnglishMessage(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return fault.CodeOf(err)
	}
	if _, ok := Of(e.Code); !ok {
		return cmp.Or(e.Message, fault.CodeOf(err))
	}
	message, _ := Describe(e, English)
	return message
}

// Feed returns the texts of why a subscribed feed fails. An unknown code gets those of "unknown_error".
func Feed(code string) Texts {
	if t, ok := Feeds[code]; ok {
		return t
	}
	if t, ok := unusual(Feeds, code); ok {
		return t
	}
	return Feeds[reader.CodeUnknown]
}

// Counts returns the texts of why bookmark counts could not be read. An unknown code gets those of "counts_failed".
func Counts(code string) Texts {
	switch waits := (Text{"Ruri Reader tries again by itself; counts stay as they were.",
		"自動的に再試行します。件数はそれまでの値のままです。"}); code {
	case "counts_limited":
		return Texts{Text{"Hatena Bookmark asked for fewer requests.", "はてなブックマークから、問い合わせを控えるよう求められました。"}, waits}
	case "counts_unreadable":
		return Texts{Text{"Hatena Bookmark gave an answer that cannot be read.", "はてなブックマークの応答を読み取れませんでした。"}, waits}
	default:
		return Texts{Text{"Hatena Bookmark did not answer.", "はてなブックマークから応答がありませんでした。"}, waits}
	}
}

// Phrases returns the texts of why Yahoo! JAPAN gave no key phrases. An unknown code gets those of "phrases_failed".
func Phrases(code string) Texts {
	switch waits := (Text{"Ruri Reader tries again in the next night; until then, tags come from the words of the " +
		"articles.", "次の夜に再試行します。それまでは記事中の語句からタグを付けます。"}); code {
	case "phrases_refused":
		return Texts{
			Text{"Yahoo! JAPAN does not accept the client ID, or its requests for today are used up.",
				"Yahoo! JAPANにClient IDが受け付けられなかったか、本日の利用回数の上限に達しました。"},
			Text{"Check the client ID. Ruri Reader tries again in the next night.", "Client IDを確認してください。次の夜に再試行します。"},
		}
	case "phrases_limited":
		return Texts{Text{"Yahoo! JAPAN asked for fewer requests.", "Yahoo! JAPANから、リクエストを控えるよう求められました。"}, waits}
	case "phrases_unreadable":
		return Texts{Text{"Yahoo! JAPAN gave an answer that cannot be read.", "Yahoo! JAPANの応答を読み取れませんでした。"}, waits}
	default:
		return Texts{Text{"Yahoo! JAPAN did not answer.", "Yahoo! JAPANから応答がありませんでした。"}, waits}
	}
}

// Check returns the text of a reason for a feed's interval or next check. An unknown reason is explained as "default".
func Check(reason string) Text {
	if t, ok := Checks[reason]; ok {
		return t
	}
	return Checks["default"]
}

// Assist returns why a language model gave no answer: reason is what its service said, next when another month begins.
func Assist(code, reason string, next time.Time) Text {
	t := Models[code]
	switch code {
	case "assist_refused":
		return Text{fmt.Sprintf(t.En, reason), fmt.Sprintf(t.Ja, reason)}
	case "assist_month_used":
		return Text{fmt.Sprintf(t.En, next.Format("January 2")), fmt.Sprintf(t.Ja, next.Format("1月2日"))}
	}
	return t
}

// FullText returns why there is no full text of an article.
func FullText(state, code string) Text {
	if t, ok := FullTexts[code]; ok {
		return t
	}
	if t, ok := Of(code); ok && state == "failed" {
		return t.Message
	}
	return FullTexts[state]
}

// Backup returns the texts of why a backup failed. An unknown code gets those of "backup_failed".
func Backup(code string) Texts {
	again := Text{"The next attempt follows within a day.", "1日以内に再試行します。"}
	switch code {
	case "backup_full":
		return Texts{Text{"There is no space left for backups.", "バックアップ先の空き容量がありません。"},
			Text{"Free some space. The next attempt follows within a day.", "空き容量を増やしてください。1日以内に再試行します。"}}
	case "backup_denied":
		return Texts{Text{"The backup location does not allow writing.", "バックアップ先に書き込む権限がありません。"},
			Text{"Check the permissions of the folder, or the credentials for the bucket.",
				"フォルダーの権限、またはバケットの認証情報を確認してください。"}}
	case "backup_unreachable":
		return Texts{Text{"The backup location could not be reached.", "バックアップ先に接続できませんでした。"}, again}
	case "backup_changing":
		return Texts{Text{"The data kept changing while it was read.", "読み取り中にデータが変更され続けました。"}, again}
	case "backup_chain":
		return Texts{Text{"The record of backups was changed.", "バックアップの記録が変更されています。"},
			Text{"ruri verify names the place. Use another folder or prefix until it is clear why.",
				"ruri verify で箇所を確認できます。原因が分かるまで、別のフォルダーまたはプレフィックスを使ってください。"}}
	default:
		return Texts{Text{"The backup could not be made.", "バックアップを作成できませんでした。"},
			Text{"The log of the server has the reason.", "理由はサーバーのログで確認できます。"}}
	}
}
