package texts

// Feeds explain why a feed that is subscribed to fails, by the codes of package reader.
var Feeds = map[string]Texts{
	"dns_failure": {Text{"The feed's host name could not be found.", "フィードのホスト名が見つかりません。"},
		Text{"Check the spelling of the address. If the site still exists, Ruri keeps retrying.",
			"アドレスのつづりを確認してください。サイトが存続していれば、自動的に再取得します。"}},
	"connection_refused":  {Text{"The server refused the connection.", "サーバーが接続を拒否しました。"}, keepsTrying},
	"connection_reset":    {Text{"The server closed the connection.", "サーバーが接続を切断しました。"}, keepsTrying},
	"network_unreachable": {Text{"The server could not be reached.", "サーバーに接続できません。"}, keepsTrying},
	"timeout": {Text{"The server did not respond within ten seconds.", "サーバーが10秒以内に応答しませんでした。"},
		keepsTrying},
	"tls_failure": {
		Text{"A secure connection could not be established, often because the certificate is invalid or has expired.",
			"サーバーと安全に接続できません。証明書が無効か、期限切れの可能性があります。"}, tellAuthor},
	"truncated_body": {Text{"The connection was lost before the whole feed had arrived.",
		"フィード全体を受信する前に接続が切れました。"}, keepsTrying},
	"bad_encoding": {Text{"The server sent compressed data that cannot be decompressed.",
		"サーバーから届いた圧縮データを展開できません。"}, tellAuthor},
	"http_204": {Text{"The server answers without any content (204).", "サーバーの応答に内容がありません（204）。"}, checkURL},
	"http_300": {Text{"The server offers several documents at this address, but does not choose one (300).",
		"このアドレスには複数の文書があり、サーバーが一つに決めていません（300）。"},
		Text{"Open the address in a browser, and use the address of one of them.",
			"ブラウザで開き、いずれかのアドレスを指定してください。"}},
	"http_401": {Text{"The feed requires a user name and password (401).", "このフィードにはユーザー名とパスワードが必要です（401）。"},
		Text{"If you have a personal feed address, change this feed's address to it.",
			"個人用のアドレスがあれば、このフィードのアドレスをそれに変更してください。"}},
	"http_402": {Text{"The server asks for payment (402).", "サーバーが料金の支払いを求めています（402）。"},
		Text{"If you have paid, look on the site for a personal address of the feed.",
			"支払い済みなら、サイトで個人用のフィードアドレスを探してください。"}},
	"http_403": {Text{"The server denied access to the feed (403).", "サーバーがフィードへのアクセスを拒否しました（403）。"},
		Text{"Open the address in a browser. If it works there, ask the publisher to allow feed readers, then resume " +
			"the feed.", "ブラウザで開けるなら、フィードリーダーからのアクセスを許可するよう配信元に依頼し、フィードを再開してください。"}},
	"challenged": {Text{"The site turns programs away: it asks every visitor for proof of being human (403).",
		"サイトがプログラムからのアクセスを拒否しています。すべての訪問者に、人であることの確認を求めています（403）。"},
		Text{"Ask the publisher to let feed readers through, or look for another address of the feed.",
			"フィードリーダーのアクセスを許可するよう配信元に依頼するか、フィードの別のアドレスを探してください。"}},
	"http_404": {Text{"The feed no longer exists at this address (404).", "このアドレスにフィードはもうありません（404）。"},
		Text{"Look for the new address on the site, or resume the feed if it is back.",
			"サイトで新しいアドレスを探すか、復旧していればフィードを再開してください。"}},
	"http_410": {Text{"The publisher has removed this feed permanently (410).", "このフィードの配信は終了しました（410）。"},
		Text{"Unsubscribe. Starred articles are kept.", "購読を解除してください。スターを付けた記事は残ります。"}},
	"http_429": {Text{"The server asks for fewer requests (429).", "サーバーから、アクセスの頻度を下げるよう求められています（429）。"},
		Text{"No action needed. The next check waits as long as the server asked.",
			"何もする必要はありません。指定された時間だけ待ってから取得します。"}},
	"http_451": {Text{"The server withholds this address for legal reasons (451).",
		"法的な理由により、サーバーがこのアドレスを公開していません（451）。"},
		Text{"The site may allow it in other countries only. Look for another address of the feed.",
			"ほかの国に限って公開されている可能性があります。フィードの別のアドレスを探してください。"}},
	"http_5xx":           {Text{"The server reported an internal error.", "サーバー側でエラーが発生しています。"}, keepsTrying},
	"http_other":         {Text{"The server sent an unexpected response.", "サーバーから予期しない応答が返されました。"}, checkURL},
	"redirect_loop":      {Text{"The address redirects in a loop.", "アドレスの転送がループしています。"}, checkURL},
	"too_many_redirects": {Text{"The address redirects more than ten times.", "アドレスの転送が10回を超えています。"}, checkURL},
	"not_a_feed":         {Text{"There is no feed at this address.", "このアドレスにフィードはありません。"}, checkURL},
	"html_page": {Text{"This address is a web page, not a feed.", "このアドレスは Web ページで、フィードではありません。"},
		Text{"Add the address of the page: Ruri finds the feeds it links to.",
			"ページのアドレスを追加してください。ページが案内しているフィードを探します。"}},
	"empty_body": {Text{"The server sent an empty response.", "サーバーから空の応答が返されました。"}, keepsTrying},
	"truncated": {Text{"The feed is incomplete; the articles that arrived were kept.",
		"フィードが途中で切れています。受信できた記事は取り込みました。"},
		Text{"No action needed. Ruri keeps retrying. If this continues, contact the publisher.",
			"何もする必要はありません。自動的に再取得します。続く場合は、配信元に連絡してください。"}},
	"bad_xml": {Text{"The feed is not valid XML and cannot be read.", "フィードの XML に誤りがあり、読み取れません。"},
		tellAuthor},
	"bad_json": {Text{"The feed is not valid JSON and cannot be read.", "フィードの JSON に誤りがあり、読み取れません。"},
		tellAuthor},
	"too_deep": {Text{"The feed is nested too deeply to be read.", "フィードの入れ子が深すぎて読み取れません。"}, tellAuthor},
	"storage_unavailable": {Text{"The feed could not be saved because of a problem with this reader's storage.",
		"このリーダーのストレージの問題で、フィードを保存できませんでした。"},
		Text{"No action needed. Ruri keeps retrying. If this continues, the owner of this reader finds the cause in " +
			"the log.", "何もする必要はありません。自動的に再取得します。続く場合は、このリーダーの所有者がログで原因を確認できます。"}},
	"storage_full": {Text{"This reader has no space left to save the feed.", "フィードを保存する空き容量がありません。"},
		Text{"The owner of this reader must free some space; fetching then continues automatically.",
			"このリーダーの所有者が空き容量を増やすと、自動的に再開します。"}},
	"row_too_large": {Text{"The articles of this feed are too large to be saved.", "フィードの記事が大きすぎて保存できません。"},
		Text{"Contact the owner of this reader.", "このリーダーの所有者に連絡してください。"}},
	"row_damaged": {Text{"What this reader has stored of the feed is damaged.", "このフィードの保存データが壊れています。"},
		Text{"Unsubscribe, then add the feed again. Starred articles are kept.",
			"購読を解除し、もう一度フィードを追加してください。スターを付けた記事は残ります。"}},
	"blocked_address": {Text{"The address is in a private network, which this reader does not access.",
		"プライベートネットワークのアドレスです。このリーダーはアクセスしません。"},
		Text{"Use a public address, or ask the owner of this reader to allow that network.",
			"公開されたアドレスを使うか、このネットワークを許可するようリーダーの所有者に依頼してください。"}},
	"blocked_port": {Text{"The address uses a port that this reader does not access.", "このリーダーがアクセスしないポートです。"},
		Text{"Use an address with a standard web port.", "Web の標準ポートのアドレスを使ってください。"}},
	"bad_url": {Text{"This is not a valid web address (http or https).",
		"有効な Web アドレス（http または https）ではありません。"}, Text{"Check the spelling, for example https://example.org/feed.",
		"アドレスのつづりを確認してください。例: https://example.org/feed"}},
	"too_large": {Text{"The feed is larger than 5 MB.", "フィードが 5 MB を超えています。"},
		Text{"Ask the publisher for a feed with fewer articles.", "フィードの記事を減らすよう配信元に依頼してください。"}},
	"listing_empty": {Text{"Nothing that is listed was found on the page.", "ページから一覧を見つけられませんでした。"},
		Text{"Open the page in a browser. If it lists something, choose its rows in the settings of the watch.",
			"ブラウザでページを開いて確認してください。一覧があれば、ウォッチの設定で行を選び直してください。"}},
	"listing_changed": {
		Text{"The page lists far less than before, or its prices are missing or written in another way, so it may " +
			"have changed; the last results are kept.",
			"ページの一覧が以前より大幅に少ないか、価格が消えたり表記が変わったりしており、構造が変わった可能性があります。前回までの結果は残っています。"},
		Text{"Check the page, and the rows and fields in the settings of the watch.",
			"ページと、ウォッチの設定にある行と項目の指定を確認してください。"}},
	"made_in_browser": {Text{"The page makes its list by scripts in the browser, which Ruri does not run.",
		"このページの一覧はブラウザのスクリプトで作られます。Ruri はスクリプトを実行しません。"},
		Text{"Look for a page of the site that lists the same without scripts, or for a feed.",
			"スクリプトなしで同じ一覧を表示するページか、フィードがないか探してください。"}},
	"challenge": {Text{"The site asks for proof that a human is reading, so the page is not read any more.",
		"サイトから人による閲覧の確認を求められたため、ページの取得を止めました。"},
		Text{"Respect this: pause or delete the watch. If the site stops asking, resume it.",
			"サイトの意向に従い、ウォッチを停止または削除してください。求められなくなったら再開できます。"}},
	"robots": {Text{"The site's robots.txt does not allow programs to read this page.",
		"サイトの robots.txt が、プログラムによるこのページの取得を許可していません。"}, Text{"Watch another page, or look for a feed of the site.",
		"別のページをウォッチするか、サイトのフィードを探してください。"}},
	"adapter_missing": {Text{"The adapter that this watch uses was deleted.", "このウォッチが使うアダプターは削除されています。"},
		Text{"Enter the address of the page in the settings of the watch instead.", "ウォッチの設定で、代わりにページのアドレスを入力してください。"}},
	"page_unreadable": {Text{"What the address answers is not a page that can be read.",
		"このアドレスの応答は、読み取れるページではありません。"},
		Text{"Open the address in a browser, and choose another page of the site if needed.",
			"ブラウザで開いて確認し、必要ならサイト内の別のページを選んでください。"}},
	"layout_unusable": {Text{"The page cannot be read with the settings of this watch.", "このウォッチの設定ではページを読み取れません。"},
		Text{"Choose the rows and fields again in its settings.", "設定で行と項目を選び直してください。"}},
	"stopped_parse": {Text{"The feed could not be read ten times in a row.", "10回続けてフィードを読み取れませんでした。"},
		resumeFeed},
	"stopped_errors": {Text{"The feed could not be fetched for more than a week, ten times in a row.",
		"1週間以上にわたり、10回続けてフィードを取得できませんでした。"}, resumeFeed},
	"unknown_error": {Text{"The feed could not be fetched for an unknown reason.", "不明な理由でフィードを取得できませんでした。"},
		keepsTrying},
}

var (
	keepsTrying = Text{"No action needed. Ruri keeps retrying at longer intervals.", "何もする必要はありません。間隔を空けながら自動的に再取得します。"}
	checkURL    = Text{"Open the address in a browser. If the feed has moved, change its address.",
		"ブラウザでアドレスを開いて確かめてください。フィードが移転していたら、アドレスを変更してください。"}
	tellAuthor = Text{"Contact the publisher. Ruri keeps retrying.", "配信元に連絡してください。自動的な再取得は続きます。"}
	resumeFeed = Text{"Open the address in a browser, then resume the feed or unsubscribe.",
		"ブラウザでアドレスを開いて確かめ、フィードを再開するか購読を解除してください。"}
)

// Sites describe a site's failure when somebody entered an address. Unlike a feed that is subscribed to (Feeds), it is
// not retried automatically.
var Sites = map[string]Texts{
	"no_feed_found": {Text{"No feed was found at this address.", "このアドレスにフィードが見つかりません。"},
		Text{"Look for a link named RSS, Atom or feed on the site, and enter its address.",
			"サイトで RSS、Atom、フィードなどのリンクを探し、そのアドレスを入力してください。"}},
	"too_large": {Text{"The page is larger than 5 MB.", "ページが 5 MB を超えています。"},
		Text{"Choose a smaller page of the site.", "サイト内のより小さいページを選んでください。"}},
	"dns_failure": {Text{"There is no site with this name.", "この名前のサイトは見つかりません。"},
		Text{"Check the spelling of the address.", "アドレスのつづりを確認してください。"}},
	"connection_refused":  {Text{"The site refused the connection.", "サイトが接続を拒否しました。"}, siteLater},
	"connection_reset":    {Text{"The site closed the connection.", "サイトが接続を切断しました。"}, siteLater},
	"network_unreachable": {Text{"The site could not be reached.", "サイトに接続できません。"}, siteLater},
	"timeout":             {Text{"The site did not respond within ten seconds.", "サイトが10秒以内に応答しませんでした。"}, siteLater},
	"truncated_body": {Text{"The connection was lost before the whole response had arrived.",
		"応答全体を受信する前に接続が切れました。"}, siteLater},
	"http_5xx": {Text{"The site reported an internal error.", "サイト側でエラーが発生しています。"}, siteLater},
	"tls_failure": {
		Text{"A secure connection could not be established, often because the certificate is invalid or has expired.",
			"サイトと安全に接続できません。証明書が無効か、期限切れの可能性があります。"}, siteBrowser},
	"bad_encoding": {Text{"The site sent compressed data that cannot be decompressed.",
		"サイトから届いた圧縮データを展開できません。"}, siteBrowser},
	"bad_redirect": {Text{"The site redirects to an invalid web address.", "サイトの転送先が有効な Web アドレスではありません。"},
		Text{"Check the address.", "アドレスを確認してください。"}},
	"bad_response":       {Text{"The site's response is not valid HTTP.", "サイトの応答が正しい HTTP ではありません。"}, inAMoment},
	"http_other":         {Text{"The site sent an unexpected response.", "サイトから予期しない応答が返されました。"}, siteBrowser},
	"redirect_loop":      {Text{"The address redirects in a loop.", "アドレスの転送がループしています。"}, siteBrowser},
	"too_many_redirects": {Text{"The address redirects more than ten times.", "アドレスの転送が10回を超えています。"}, siteBrowser},
	"http_204":           {Text{"The site answers without any content (204).", "サイトの応答に内容がありません（204）。"}, siteBrowser},
	"http_401": {Text{"The site requires a user name and password (401).", "このアドレスにはユーザー名とパスワードが必要です（401）。"},
		Text{"If you have a personal feed address, enter it instead.", "個人用のアドレスがあれば、それを入力してください。"}},
	"http_403": {Text{"The site denied access (403).", "サイトがアクセスを拒否しました（403）。"},
		Text{"Open the address in a browser. If it works there, ask the publisher to allow feed readers.",
			"ブラウザで開けるなら、フィードリーダーからのアクセスを許可するよう配信元に依頼してください。"}},
	"http_404": {Text{"There is nothing at this address (404).", "このアドレスには何もありません（404）。"},
		Text{"Check the spelling, or enter the address of the site: Ruri looks for its feeds.",
			"つづりを確認するか、サイトのアドレスを入力してください。フィードを探します。"}},
	"http_410": {Text{"This page has been removed permanently (410).", "このページは削除されました（410）。"},
		Text{"Enter the address of the site: it may have another feed.", "サイトのアドレスを入力してください。別のフィードがあるかもしれません。"}},
	"http_429": {Text{"The site asks for fewer requests (429).", "サイトから、アクセスの頻度を下げるよう求められています（429）。"},
		Text{"Wait a few minutes and try again.", "数分待って、もう一度お試しください。"}},
}

// Checks explain a feed's interval and its next check, by the reasons of package schedule.
var Checks = map[string]Text{
	"default": {"The default interval. You can choose another.", "既定の間隔です。変更できます。"},
	"asked":   {"A subscriber chose this interval.", "購読者がこの間隔を指定しました。"},
	"quiet": {"The feed is rarely updated. It is checked more often when it changes more often.",
		"更新の少ないフィードです。更新が増えると、間隔は短くなります。"},
	"max_age": {"The server specifies how long its response stays fresh.", "サーバーが応答の有効期間を指定しています。"},
	"ttl":     {"The feed itself asks for this interval.", "フィードがこの間隔を指定しています。"},
	"fickle": {"The server reports a change every time, so each check downloads the whole feed.",
		"サーバーが毎回「変更あり」と応答するため、確認のたびにフィード全体を取得します。"},
	"no_validators": {"The server does not report whether the feed has changed, so each check downloads the whole " +
		"feed.", "サーバーが更新の有無を知らせないため、確認のたびにフィード全体を取得します。"},
	"hub": {"The publisher sends new articles immediately. The daily check is only a precaution.",
		"配信元から新着がすぐに届きます。1日1回の確認は念のためです。"},
	"budget": {"The monthly limit of costs is near, so all feeds are checked less often until the month ends.",
		"今月の費用が上限に近いため、月末まで、すべてのフィードの確認の間隔を延ばしています。"},
	"suspect": {"The page could not be read as before, so it is checked less often until its settings are " +
		"corrected.", "ページをこれまでどおり読み取れないため、設定を直すまで確認の間隔を延ばしています。"},

	"probe": {"The feed is stopped. Ruri looks whether it is back: after 6 hours, then daily for a week, " +
		"then weekly for three months. You can resume it at any time.",
		"フィードは停止しています。復旧していないかを、6時間後、その後1週間は毎日、さらに3か月は毎週確認します。いつでも再開できます。"},
	"skip": {"The feed asks not to be fetched at certain hours or on certain days.",
		"フィードが、特定の時間帯や曜日の取得を避けるよう求めています。"},
	"back_off": {"The last check failed. The wait grows with each failure, up to twelve hours.",
		"前回の取得に失敗しました。失敗が続くと、最長12時間まで間隔が延びます。"},
	"retry_after":    {"The server asked to wait until then.", "サーバーがそれまで待つよう求めています。"},
	"paused":         {"The watch is paused and is not checked until you resume it.", "ウォッチは一時停止中です。再開するまで確認しません。"},
	"waiting":        {"The feed was just added and is fetched as soon as possible.", "追加したばかりです。まもなく取得します。"},
	"stopped":        {"The feed is stopped and is not checked until you resume it.", "フィードは停止しています。再開するまで確認しません。"},
	"no_subscribers": {"The feed has no subscribers, so it is not checked.", "購読者がいないため、確認しません。"},
}

// Previews are warnings for somebody who is about to watch a page, by the codes of package watching.
var Previews = map[string]Text{
	"more_pages": {"The list goes on: only its first page is read unless you choose more.",
		"一覧は次のページに続きます。変更しない限り、最初のページだけを読み取ります。"},
	"left_out": {"The page lists more than 500 rows; the rest of them is left out.",
		"ページの行が500件を超えています。残りは読み取りません。"},
	"narrower_search": {"This may find more than 2,000 results, which is the limit. A narrower search is better.",
		"結果が上限の2,000件を超える可能性があります。検索条件を絞り込んでください。"},
	"none_fits": {"No row of the page fits your conditions now.", "現在、条件に合う行はページにありません。"},
	"no_prices": {"No price was found, so conditions on prices have no effect.", "価格が見つからないため、価格の条件は効きません。"},
	"host_limit": {"With this, your watches and others' would send more to this site than is allowed. Choose " +
		"fewer pages or a longer interval.", "このサイトへのアクセスが、すべてのウォッチの合計で上限を超えます。ページ数を減らすか、間隔を長くしてください。"},
	"crawl_delay": {"The site asks for more than a minute between two requests, so it is looked at less often.",
		"サイトが1分を超えるアクセス間隔を求めているため、確認の頻度が下がります。"},
}

// NoFeeds explain why a search found no feed, by subscribe.NoFeedError.Why.
var NoFeeds = map[string]Texts{
	"nothing": {Message: Text{"The address answers with an empty document.", "このアドレスの応答は空です。"}, Action: siteBrowser},
	"opml": {Message: Text{"This is not a feed, but an OPML file: a list of feeds.",
		"これはフィードではなく、フィードの一覧（OPML）です。"}, Action: Text{"Save the file, and choose it in “Import OPML”.",
		"ファイルを保存し、「OPMLを取り込む」で選んでください。"}},
	"sitemap": {Message: Text{"This is not a feed, but a sitemap: a list of pages for search engines.",
		"これはフィードではなく、検索エンジン向けのページ一覧（サイトマップ）です。"}},
	"broken_feed": {Message: Text{"There is a feed at this address, but it is damaged and cannot be read.",
		"このアドレスのフィードは壊れていて、読み取れません。"}, Action: siteBrowser},
	"pdf":       {Message: Text{"This is a PDF, not a feed.", "これは PDF で、フィードではありません。"}},
	"picture":   {Message: Text{"This is a picture, not a feed.", "これは画像で、フィードではありません。"}},
	"recording": {Message: Text{"This is a sound or a video, not a feed.", "これは音声または動画で、フィードではありません。"}},
	"data":      {Message: Text{"This is data (JSON or XML), but not a feed.", "これはデータ（JSON または XML）で、フィードではありません。"}},
	"text":      {Message: Text{"This is plain text, not a feed.", "これはテキストで、フィードではありません。"}},
	"file":      {Message: Text{"This is a file, not a feed.", "これはファイルで、フィードではありません。"}},
	"named_unreadable": {Message: Text{"The page links to a feed, but it could not be read.",
		"ページが案内しているフィードを読み取れませんでした。"}, Action: Text{"Try again later, or look for another feed on the site.",
		"しばらくしてもう一度試すか、サイトで別のフィードを探してください。"}},
	"named_no_feed": {Message: Text{"The page links to a feed, but there is none at that address.",
		"ページが案内しているアドレスに、フィードがありません。"}},
	"too_slow": {Message: Text{"The site was too slow, so the search was stopped.", "サイトの応答が遅いため、検索を中止しました。"},
		Action: Text{"Try again later, or enter the address of the feed itself.",
			"しばらくしてもう一度試すか、フィードのアドレスを直接入力してください。"}},
	"nowhere_else": {Message: Text{"Neither the feed's site nor the home page of its host links to another feed.",
		"サイトにもホストのトップページにも、別のフィードへの案内がありません。"},
		Action: Text{"Look for the new address on the site, and change the address of this feed.",
			"サイトで新しいアドレスを探し、このフィードのアドレスを変更してください。"}},
}

// What webhooks in the formats of other services say.
var (
	TestMessage   = Text{"This is a test.", "テスト送信です。"}
	NewArticles   = Text{"%d new articles: %s", "新着記事%d件: %s"}
	NewFromFeeds  = Text{"%d new articles from %d feeds", "%[2]d件のフィードに新着記事%[1]d件"}
	FeedStopped   = Text{"Feed stopped: %s", "フィードが停止しました: %s"}
	ServerProblem = Text{"Ruri Reader: the backup failed", "Ruri Reader: バックアップに失敗しました"}
	WatchProblem  = Text{"Watch has a problem: %s", "ウォッチで問題が発生しました: %s"}
	// Percent of the limit; then USD spent, the limit, and by what intervals are multiplied.
	BudgetReached = Text{"%d%% of the monthly limit is used: feeds are checked less often",
		"月の上限の%d%%に達したため、フィードの確認の間隔を延ばします"}
	BudgetMeaning = Text{"This month has cost %.2f of %.2f USD. Until it ends, intervals are %d times as long. Reading is " +
		"not affected.", "今月の費用は%.2f USDです（上限%.2f USD）。月末まで、確認の間隔を%d倍にします。記事は今までどおり読めます。"}
)

// Deliveries explain why a webhook delivery failed.
var Deliveries = map[string]Text{
	"refused":      {"The address responded with an error.", "アドレスがエラーを返しました。"},
	"redirected":   {"The address redirects elsewhere; redirects are not followed.", "アドレスが別の場所に転送されます。転送先には送信しません。"},
	"switched_off": {"The webhook was off.", "Webhook が無効でした。"},
}

// FullTexts explain why there is no full text of an article, by its code, else by its state.
var FullTexts = map[string]Text{
	"robots": {"The site does not allow programs to read this page. Open it in the browser.",
		"このサイトはプログラムによるページの取得を許可していません。ブラウザで開いてください。"},
	"empty":  {"No article text was found on the page. Open it in the browser.", "ページから本文を取り出せませんでした。ブラウザで開いてください。"},
	"failed": {"The page could not be read. Open it in the browser.", "ページを読み込めませんでした。ブラウザで開いてください。"},

	"no_link":    {"This article does not link to a page.", "この記事にはリンク先のページがありません。"},
	"not_a_page": {"The article's link does not lead to a web page.", "リンク先は Web ページではありません。"},
	"page_too_heavy": {"The page is too large to extract its text. Open it in the browser.",
		"ページが大きすぎて本文を取り出せません。ブラウザで開いてください。"},
}

// Models explain why a language model gave no answer. Key sentences take its place. Assist fills in the values.
var Models = map[string]Text{
	"assist_month_used": {"You have reached this month's token limit. It resets on %s.",
		"今月のトークンの上限に達しました。%sにリセットされます。"},
	"assist_busy": {"The AI model is busy. Try again in a moment.", "AIモデルが混み合っています。しばらくして、もう一度お試しください。"},
	"assist_slow": {"The AI model did not respond in time. Try again in a moment.",
		"AIモデルから時間内に応答がありませんでした。しばらくして、もう一度お試しください。"},
	"assist_refused": {"The AI model's service refused the request (%s). If this continues, the owner of this reader must " +
		"check the settings of the assistant.",
		"AIモデルのサービスにリクエストを拒否されました（%s）。続く場合は、このリーダーの所有者がアシスタントの設定を確認する必要があります。"},
	"assist_empty": {"The AI model returned an empty response.", "AIモデルの応答が空でした。"},
	"assist_key": {"The AI model's service did not accept the API key. The owner of this reader must check it.",
		"AIモデルのサービスにAPIキーが受け付けられませんでした。このリーダーの所有者がキーを確認する必要があります。"},
	"assist_credentials": {"This server has no valid AWS credentials for Amazon Bedrock. Its owner can sign in with " +
		"aws sso login, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
		"このサーバーには、Amazon Bedrockに使える有効なAWS認証情報がありません。所有者は aws sso login でサインインするか、" +
			"AWS_ACCESS_KEY_ID と AWS_SECRET_ACCESS_KEY を設定してください。"},
	"assist_broken": {"The AI model's response was incomplete or could not be read. Try again.",
		"AIモデルの応答が途中で切れたか、読み取れませんでした。もう一度お試しください。"},
	"assist_unreachable": {"The AI model could not be reached. The owner of this reader can check that it is running and " +
		"that its address is right.",
		"AIモデルに接続できませんでした。モデルが動作しているか、アドレスが正しいか、このリーダーの所有者が確認できます。"},
}

// Entries explain why an entry of an OPML file was not imported, besides the codes above. The list of failed entries
// keeps codes without their values, so that these sentences have no figures.
var Entries = map[string]Texts{
	"no_address": {Text{"This entry has no feed address.", "この項目にはフィードのアドレスがありません。"},
		Text{"Add the feed by its address.", "アドレスを入力してフィードを追加してください。"}},
	"bad_address": {Text{"This is not a valid web address (http or https).", "有効な Web アドレス（http または https）ではありません。"},
		Text{"Check the spelling.", "つづりを確認してください。"}},
	"commented": {Text{"This entry is disabled in the file.", "この項目はファイル内で無効になっています。"},
		Text{"Add the feed by its address if you want it.", "必要なら、アドレスを入力してフィードを追加してください。"}},
	"include": {Text{"This entry refers to another list, which is not imported.", "この項目は別のリストへの参照のため、インポートされません。"},
		Text{"Import that list separately.", "そのリストを別にインポートしてください。"}},
	"over_limit": {Text{"The file has more feeds than one import accepts.", "1回でインポートできる数を超えています。"},
		Text{"Import the rest in a second file.", "残りを別のファイルにしてインポートしてください。"}},
	"subscription_limit": {Text{"Your account has reached its limit of subscriptions.", "購読数がアカウントの上限に達しています。"},
		Text{"Unsubscribe from a feed to make room, or ask the owner of this server to raise the limit.",
			"どれかの購読を解除するか、サーバーの所有者に上限の変更を依頼してください。"}},
}
