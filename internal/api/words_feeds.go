package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

const (
	jaWait   = "何もする必要はありません。間隔を空けながら自動的に取得し直します。"
	jaCheck  = "ブラウザでアドレスを開いて確かめてください。フィードが移転していたら、購読を解除して新しいアドレスを追加してください。"
	jaAuthor = "配信元に知らせてください。フィードは自動的に取得し直します。"
	jaResume = "ブラウザでアドレスを開いて確かめ、再開するか購読を解除してください。"
)

// feedWords are the Japanese words of what befalls feeds. The English ones are those of package reader, where
// there are some: feeds' faults are told by programs that are no HTTP too.
var feedWords = map[string]words{
	reader.CodeDNSFailure:         {say: text{"", "フィードのホスト名が見つかりません。"}, do: text{"", "アドレスの綴りを確かめてください。サイトが存続していれば、自動的に取得し直します。"}},
	reader.CodeConnectionRefused:  {say: text{"", "サーバーが接続を拒否しました。"}, do: text{"", jaWait}},
	reader.CodeConnectionReset:    {say: text{"", "サーバーが接続を切りました。"}, do: text{"", jaWait}},
	reader.CodeNetworkUnreachable: {say: text{"", "サーバーに到達できません。"}, do: text{"", jaWait}},
	reader.CodeTimeout:            {say: text{"", "サーバーが10秒以内に応答しませんでした。"}, do: text{"", jaWait}},
	reader.CodeTLSFailure:         {say: text{"", "サーバーと安全に接続できません。多くは証明書の誤りか期限切れです。"}, do: text{"", jaAuthor}},
	reader.CodeTruncatedBody:      {say: text{"", "フィードの全体が届く前に接続が切れました。"}, do: text{"", jaWait}},
	reader.CodeBadEncoding:        {say: text{"", "サーバーから届いた圧縮データを展開できません。"}, do: text{"", jaAuthor}},

	reader.CodeHTTP401:          {say: text{"", "このフィードには名前とパスワードが必要です（401）。"}, do: text{"", "個人用の鍵を含むアドレスがあれば、それを追加して、こちらの購読は解除してください。"}},
	reader.CodeHTTP403:          {say: text{"", "サーバーがこのフィードの取得を許可していません（403）。"}, do: text{"", "ブラウザで開けるなら、フィードリーダーを許可するよう配信元に頼み、フィードを再開してください。"}},
	reader.CodeHTTP404:          {say: text{"", "このアドレスにフィードはもうありません（404）。"}, do: text{"", "サイトで新しいアドレスを探して追加するか、戻っていればフィードを再開してください。"}},
	reader.CodeHTTP410:          {say: text{"", "配信元がこのフィードの提供を終了しました（410）。"}, do: text{"", "購読を解除してください。スターを付けた記事は残ります。"}},
	reader.CodeHTTP429:          {say: text{"", "サーバーから、取得の回数を減らすよう求められています（429）。"}, do: text{"", "何もする必要はありません。求められた時間だけ待って取得します。"}},
	reader.CodeHTTP5xx:          {say: text{"", "サーバー側で障害が起きています。"}, do: text{"", jaWait}},
	reader.CodeHTTPOther:        {say: text{"", "サーバーの応答が、フィードのものではありません。"}, do: text{"", jaCheck}},
	reader.CodeRedirectLoop:     {say: text{"", "アドレスの転送が循環しています。"}, do: text{"", jaCheck}},
	reader.CodeTooManyRedirects: {say: text{"", "アドレスが5回を超えて転送されます。"}, do: text{"", jaCheck}},

	reader.CodeNotAFeed:  {say: text{"", "このアドレスにあるのはフィードではありません。"}, do: text{"", jaCheck}},
	reader.CodeHTMLPage:  {say: text{"", "このアドレスにあるのはフィードではなく、Web ページです。"}, do: text{"", "代わりにページのアドレスを追加してください。そこで案内されているフィードが見つかります。"}},
	reader.CodeEmptyBody: {say: text{"", "サーバーからフィードの代わりに空の応答が届きました。"}, do: text{"", jaWait}},
	reader.CodeTruncated: {say: text{"", "フィードが途中で切れています。届いていた記事は取り込みました。"}, do: text{"", "何もする必要はありません。自動的に取得し直します。続くときは、配信元に知らせてください。"}},
	reader.CodeBadXML:    {say: text{"", "フィードの XML に誤りがあり、読み取れません。"}, do: text{"", jaAuthor}},
	reader.CodeBadJSON:   {say: text{"", "フィードの JSON に誤りがあり、読み取れません。"}, do: text{"", jaAuthor}},
	reader.CodeTooDeep:   {say: text{"", "フィードの入れ子が深すぎます。"}, do: text{"", jaAuthor}},

	// As errors of a request these three have words of their own in codeWords.
	reader.CodeStorageUnavailable: {say: text{"", "フィードを保存できませんでした。配信元の問題ではありません。"}, do: text{"", "何もする必要はありません。自動的に取得し直します。続くときは、このリーダーの所有者がログで原因を確かめられます。"}},
	reader.CodeStorageFull:        {say: text{"", "フィードを保存する空きがありません。"}, do: text{"", "このリーダーの所有者が空きを作れば、自動的に再開します。"}},
	reader.CodeRowTooLarge:        {say: text{"", "フィードの記事が大きすぎて保存できません。"}, do: text{"", "このリーダーの所有者に伝えてください。"}},

	reader.CodeBlockedAddress: {say: text{"", "アドレスが内部ネットワークを指しています。このリーダーはそこへは接続しません。"}, do: text{"", "公開されたアドレスを使うか、このネットワークを許可するよう所有者に頼んでください。"}},
	reader.CodeBlockedPort:    {say: text{"", "アドレスのポートには、このリーダーは接続しません。"}, do: text{"", "Web の標準のポートのアドレスを使ってください。"}},
	reader.CodeBadURL:         {say: text{"", "Web のアドレス（http か https）ではありません。"}, do: text{"", "アドレスの綴りを確かめてください。例: https://example.org/feed"}, category: "validation", status: http.StatusBadRequest},
	reader.CodeTooLarge:       {say: text{"", "フィードが 5 MB を超えています。"}, do: text{"", "フィードの記事を減らすよう配信元に頼んでください。"}},
	reader.CodeStoppedParse:   {say: text{"", "このアドレスから届いたものを、10回続けてフィードとして読み取れませんでした。"}, do: text{"", jaResume}},
	reader.CodeStoppedErrors:  {say: text{"", "1週間以上、10回続けてこのフィードを取得できませんでした。"}, do: text{"", jaResume}},
	reader.CodeUnknown:        {say: text{"", "原因不明の理由でフィードを取得できませんでした。"}, do: text{"", jaWait}},

	// What opening an address can meet beside what is kept with a feed.
	"bad_redirect": {say: text{"The server redirects to something that is not a usable web address.", "サーバーの転送先が Web のアドレスではありません。"}, do: text{"Check the address.", "アドレスを確かめてください。"}},
	"bad_response": {say: text{"The server's answer is not valid HTTP.", "サーバーの応答が HTTP になっていません。"}, do: inAMoment},
}

// noFeedWords tell apart why a search found no feed; what has none is told as in codeWords.
var noFeedWords = map[string]words{
	subscribe.NamedUnreadable: {say: text{"The page names a feed, but it could not be read.", "ページにフィードへの案内はありますが、そのフィードを読み取れませんでした。"}, do: text{"Try again later, or look for another feed on the site.", "後でもう一度試すか、サイトで別のフィードを探してください。"}},
	subscribe.NamedNoFeed:     {say: text{"The page names a feed, but what is there is none.", "ページが案内しているアドレスにあるのは、フィードではありません。"}},
	subscribe.SearchTooSlow:   {say: text{"The site was too slow: the search was given up.", "サイトの応答が遅いため、フィードを探すのを打ち切りました。"}, do: text{"Try again later, or enter the address of the feed itself.", "後でもう一度試すか、フィードのアドレスを直接入力してください。"}},
	subscribe.NowhereElse:     {say: text{"Neither the site of this feed nor the front page of its host names another feed.", "サイトにもホストのトップページにも、別のフィードへの案内がありません。"}, do: text{"Look for its new address on the site, and give it to this subscription.", "サイトで新しいアドレスを探し、この購読に設定してください。"}},
}

// entryWords are why entries of a list were not imported. They are told inside an answer, never as an error.
var entryWords = map[string]words{
	opml.NoAddress:  {say: text{"This entry has no address of a feed.", "この項目にはフィードのアドレスがありません。"}, do: text{"Add the feed by its address.", "アドレスを指定してフィードを追加してください。"}},
	opml.BadAddress: {say: text{"This is not an address of the web (http or https).", "Web のアドレス（http か https）ではありません。"}, do: text{"Check the spelling.", "綴りを確かめてください。"}},
	opml.Commented:  {say: text{"This entry is switched off in the file.", "この項目はファイルの中で無効になっています。"}, do: text{"Add the feed by its address if you want it.", "必要なら、アドレスを指定してフィードを追加してください。"}},
	opml.Included:   {say: text{"This entry stands for another list, which is not fetched.", "この項目は別のリストへの参照で、取り込みの対象外です。"}, do: text{"Import that list by itself.", "そのリストを直接取り込んでください。"}},
	opml.OverLimit:  {say: text{"The file has more feeds than one import takes.", "1回で取り込める数を超えています。"}, do: text{"Import the rest in a second file.", "残りを別のファイルにして取り込んでください。"}},
}

// reasonWords are the Japanese sentences of why a feed's interval and its next check are as they are; the English are
// schedule's.
var reasonWords = map[string]string{
	schedule.ReasonDefault:       "標準の間隔です。別の間隔を選べます。",
	schedule.ReasonAsked:         "購読者がこの間隔を選びました。",
	schedule.ReasonQuiet:         "更新がまれなフィードです。更新が増えれば、間隔は短くなります。",
	schedule.ReasonMaxAge:        "サーバーが、応答の有効期間を指定しています。",
	schedule.ReasonTTL:           "フィード自身が、この間隔を指定しています。",
	schedule.ReasonFickle:        "毎回「変更あり」と応答するサーバーなので、確認のたびにフィード全体を取得します。",
	schedule.ReasonNoValidators:  "更新の有無がわからないフィードなので、確認のたびに全体を取得します。",
	schedule.ReasonHub:           "配信元が新着をすぐに送ってきます。1日に1回、念のため確認します。",
	schedule.ReasonProbe:         "停止しています。戻っていないか、1週間、1日に1回確かめます。",
	schedule.ReasonSpread:        "追加したばかりです。一度に集中しないよう、2回目の確認をずらしています。",
	schedule.ReasonSkip:          "フィードが、特定の時間帯や曜日の取得を避けるよう求めています。",
	schedule.ReasonDeferred:      "サイトの応答が遅かったため、数分後に確認します。",
	schedule.ReasonBackOff:       "前回の取得に失敗しました。失敗が続くほど、最大12時間まで間隔を広げます。",
	schedule.ReasonRetryAfter:    "サーバーが、それまで待つよう求めています。",
	schedule.ReasonWaiting:       "追加したばかりです。できるだけ早く取得します。",
	schedule.ReasonStopped:       "フィードは停止しています。再開するまで確認しません。",
	schedule.ReasonNoSubscribers: "購読者がいないため、確認しません。",
}

// span writes a wait for a person, rounded up: to minutes, from an hour and a half on to hours, from two days on to
// days.
func span(d time.Duration, lang string) string {
	for _, u := range [...]struct {
		unit   time.Duration
		upTo   int
		en, ja string
	}{{time.Minute, 90, "min", "分"}, {time.Hour, 48, "h", "時間"}, {24 * time.Hour, 1 << 30, "days", "日"}} {
		n := max(1, int((d+u.unit-1)/u.unit))
		if n <= u.upTo {
			if lang == japanese {
				return strconv.Itoa(n) + u.ja
			}
			return strconv.Itoa(n) + " " + u.en
		}
	}
	return ""
}

// sayFault shapes why a feed fails in the language of the answer. What the crawler noted of the case is English.
func sayFault(ctx context.Context, code, noted string) faultJSON {
	f := reader.FaultOf(code)
	out := faultJSON{Code: code, Category: f.Category, Message: f.Message, Action: f.Action}
	sp := speechOf(ctx)
	sp.isUsed = true
	if sp.language == japanese {
		w, ok := feedWords[code]
		if !ok {
			w = feedWords[reader.CodeUnknown]
		}
		out.Message, out.Action = w.say.ja, w.do.ja
	} else if noted != "" {
		out.Message = noted
	}
	return out
}

// sayReason shapes why a feed's interval or its next check is as it is.
func sayReason(ctx context.Context, why string) reasonJSON {
	r := schedule.ReasonOf(why)
	sp := speechOf(ctx)
	sp.isUsed = true
	if ja, ok := reasonWords[r.Code]; ok && sp.language == japanese {
		return reasonJSON{r.Code, ja}
	}
	return reasonJSON{r.Code, r.Message}
}

// say gives the sentence of a code in the language of the answer, where it is told inside an answer: why an
// entry was not imported, for one. In English it is what the error said, if it said something.
func say(ctx context.Context, code, noted string) string {
	sp := speechOf(ctx)
	sp.isUsed = true
	if sp.language == english && noted != "" {
		return noted
	}
	w, ok := wordsOf(code)
	switch s := w.say.in(sp.language); {
	case ok && s != "" && !strings.Contains(s, "%"):
		return s
	case noted != "":
		return noted
	}
	return kinds[fault.Invalid].say.in(sp.language)
}
