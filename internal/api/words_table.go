package api

import "net/http"

// codeWords has the words of every code that a caller can meet, one line each (lines of their own merge well);
// words.go says how to add one.
var codeWords = []words{
	// Signing in, accounts, tokens
	{code: "not_signed_in", say: text{"You are not signed in, or your sign-in has expired.", "ログインしていないか、ログインの期限が切れています。"}, do: signIn},
	{code: "session_ended", say: text{"This session has ended.", "このセッションは終了しています。"}, do: signIn},
	{code: "wrong_login", say: text{"", "メールアドレスかパスワードが違います。"}, do: text{"Enter them again.", "もう一度入力してください。"}},
	{code: "too_many_logins", say: text{"There were too many tries to sign in.", "ログインの試行が多すぎます。"}, do: waitALittle, category: "auth"},
	{code: "link_not_valid", say: text{"This link has been used, or has expired.", "このリンクは使用済みか、期限が切れています。"}, do: text{"Ask for a new link.", "新しいリンクを発行してもらってください。"}},
	{code: "token_not_found", say: text{"There is no such token any more.", "このトークンは存在しません。"}, do: backToList},
	{code: "user_not_found", say: text{"There is no such user any more.", "このユーザーは存在しません。"}, do: signIn},
	{code: "cross_origin", say: text{"", "別のサイトからのリクエストとみなされました。"}, do: text{"Reload the page and try again.", "ページを読み込み直して、もう一度お試しください。"}},
	{code: "owner_only", say: text{"", "この操作は所有者だけができます。"}, do: text{"Sign in as the owner.", "所有者としてログインしてください。"}},
	{code: "wrong_scope", say: text{"", "このトークンではこの操作はできません。"}, do: text{"Make a token without a scope.", "権限を限らないトークンを作ってください。"}},
	{code: "scope_missing", say: text{"", "このトークンには権限「%s」がありません。"}, do: text{"Use a token that has it, or make one.", "その権限のあるトークンを使うか、作ってください。"}},
	{code: "bad_scope", say: text{"", "トークンの権限は read、write、admin のいずれか(複数可)、または metrics だけです。"}, do: correct},
	{code: "bad_token_expiry", say: text{"", "トークンの期限は未来の時刻か、なしにします。"}, do: correctIt},
	{code: "token_limit", say: text{"", "トークンは%d個までです。"}, do: text{"End one that is not in use any more.", "使っていないものを無効にしてください。"}},
	{code: "session_not_found", say: text{"", "そのようなセッションはありません。"}, do: reload},
	{code: "bad_flag", say: text{"", "%s は true か false です。"}, do: correct},
	{code: "bad_token_name", say: text{"", "トークンには100文字以内の名前が必要です。"}, do: correctIt},
	{code: "bad_email", say: text{"", "メールアドレスではありません。"}, do: correctIt},
	{code: "email_taken", say: text{"", "%s のユーザーはすでにいます。"}, do: text{"Use another address.", "別のアドレスを使ってください。"}},
	{code: "bad_password", say: text{"", "パスワードは%d〜%d文字です。"}, do: text{"Choose another password.", "別のパスワードにしてください。"}},

	// Preferences
	{code: "unknown_preference", say: text{"", "この名前の設定はありません。"}, do: correct},
	{code: "bad_preference", say: text{"", "値は次のどれかです: %s。"}, do: correct},
	{code: "settings_contended", say: text{"Other changes to the settings came in between.", "設定への変更が重なりました。"}, do: again},

	// Requests
	{code: "not_found", say: text{"", "このアドレスには何もありません。"}, do: text{"Check the address; /api/openapi.json lists those that there are.", "アドレスを確かめてください。一覧は /api/openapi.json にあります。"}},
	{code: "method_not_allowed", say: text{"This address does not take this method.", "このアドレスではこのメソッドは使えません。"}, do: text{"Use one of the methods in the Allow header.", "Allow ヘッダーにあるメソッドを使ってください。"}, category: "validation", status: http.StatusMethodNotAllowed},
	{code: "bad_json", say: text{"The request is not the JSON that this address takes.", "リクエストの JSON がこのアドレスの形式に合いません。"}, do: correct},
	{code: "unknown_field", say: text{"There is no field of this name.", "この名前の項目はありません。"}, do: correct},
	{code: "wrong_type", say: text{"The value is not of the right type.", "値の型が違います。"}, do: correct},
	{code: "several_fields", say: text{"Several fields are not right.", "複数の項目に誤りがあります。"}, do: correctIt},
	{code: "request_too_large", say: text{"", "リクエストが%d KBを超えています。"}, do: sendLess},
	{code: "bad_limit", say: text{"", "件数は1から200までの数です。"}, do: correct},
	{code: "bad_filter", say: text{"", "filter は all、unread、starred、hidden のどれかです。"}, do: correct},
	{code: "bad_cursor", say: text{"This page's address is not valid any more.", "このページの位置はもう使えません。"}, do: openAnew},
	{code: "bad_days", say: text{"", "日数は1から%dまでです。"}, do: correct},
	{code: "rate_limited", say: text{"There were too many requests.", "リクエストが多すぎます。"}, do: waitALittle},
	{code: "cancelled", say: text{"The request took too long.", "処理に時間がかかりすぎました。"}, do: again},
	{code: "internal", say: text{"Something went wrong on our side.", "サーバー側で問題が起きました。"}, do: tellOwner},

	// Subscriptions
	{code: "subscription_limit", say: text{"This account has as many subscriptions as it may have.", "購読数が、このアカウントの上限に達しています。"}, do: text{"Unsubscribe from a feed to make room.", "どれかの購読を解除して空きを作ってください。"}},
	{code: "feed_not_found", say: text{"There is no such feed among your subscriptions.", "このフィードは購読していません。"}, do: backToList},
	{code: "feed_stopped", say: text{"This feed is stopped.", "このフィードは停止しています。"}, do: text{"Resume it first.", "先に再開してください。"}},
	{code: "feed_not_stopped", say: text{"", "このフィードは停止していません。"}, do: text{"Nothing to do: it is fetched by itself.", "何もする必要はありません。自動的に取得します。"}},
	{code: "feed_numbers_used_up", say: text{"", "フィードの数が、登録できる上限に達しています。"}, do: text{"Tell the owner of this reader.", "このリーダーの所有者に伝えてください。"}},
	{code: "no_feed_found", say: text{"There is no feed at this address, and the page there names none.", "このアドレスにフィードはなく、ページにもフィードへの案内がありません。"}, do: text{"Look for a link called RSS, Atom or feed on the site and enter its address.", "サイトで RSS、Atom、フィードといったリンクを探し、そのアドレスを入力してください。"}, category: "feed", status: http.StatusUnprocessableEntity},
	{code: "too_soon", say: text{"The site asks not to be visited this often.", "サイトから、間隔を空けるよう求められています。"}, do: text{"Wait until the time given; the feed is fetched by itself then.", "示された時刻まで待ってください。そのとき自動的に取得します。"}, category: "feed"},
	{code: "host_busy", say: text{"The crawler is visiting this site at the moment.", "いまこのサイトを巡回しています。"}, do: text{"Try again in half a minute.", "30秒ほど待って、もう一度お試しください。"}},
	{code: "bad_interval", say: text{"", "間隔は%d分から%d分まで、%d分刻みです。"}, do: correctIt},
	{code: "bad_title", say: text{"", "タイトルは%d文字以内です。"}, do: correctIt},
	{code: "bad_position", say: text{"", "位置は0から%dまでの数です。"}, do: correct},
	{code: "too_many_folders", say: text{"", "一つのフィードを入れられるフォルダーは%d個までです。"}, do: correctIt},
	{code: "too_many_changes", say: text{"", "一度に変更できるのは%d件までです。"}, do: sendLess},
	{code: "bad_time", say: text{"", "時刻は 2026-11-21T09:00:00Z の形か、Unix 秒で指定してください。"}, do: correct},
	{code: "feed_waiting", say: text{"", "そのアドレスのフィードはまだ取得されていません。"}, do: text{"Try again in a few minutes; both subscriptions are kept until then.", "数分後にもう一度お試しください。それまで両方の購読が残ります。"}},
	{code: "bad_folder", say: text{"", "フォルダーの名前は200文字以内です。"}, do: correctIt},

	// Folders and labels
	{code: "bad_name", say: text{"This name cannot be used.", "この名前は使えません。"}, do: correctIt},
	{code: "folder_not_found", say: text{"", "このフォルダーはありません。"}, do: reload},
	{code: "folder_exists", say: text{"", "ここには同じ名前のフォルダーがすでにあります。"}, do: text{"Choose another name.", "別の名前にしてください。"}},
	{code: "folder_limit", say: text{"There are %d folders, the most there may be.", "フォルダーが上限の%d個に達しています。"}, do: text{"Delete one to make room.", "どれかを削除して空きを作ってください。"}},
	{code: "folder_too_deep", say: text{"", "フォルダーの入れ子は%d段までです。"}, do: correctIt},
	{code: "folder_in_itself", say: text{"", "フォルダーをそれ自身の中には移せません。"}, do: correctIt},
	{code: "label_not_found", say: text{"", "このラベルはありません。"}, do: reload},
	{code: "label_exists", say: text{"", "同じ名前のラベルがすでにあります。"}, do: text{"Choose another name.", "別の名前にしてください。"}},
	{code: "label_limit", say: text{"There are %d labels, the most there may be.", "ラベルが上限の%d個に達しています。"}, do: text{"Delete one to make room.", "どれかを削除して空きを作ってください。"}},
	{code: "bad_order", say: text{"", "並び順には、一覧のそれぞれを一度ずつ指定します。"}, do: reload},
	{code: "tree_contended", say: text{"Other changes to the folders came in between.", "フォルダーへの変更が重なりました。"}, do: again},

	// Items and their state
	{code: "item_not_found", say: text{"There is no such item, or it is no longer kept.", "この記事はないか、保存期間が過ぎています。"}, do: backToList},
	{code: "bad_item", say: text{"", "この記事は別のフィードのものです。"}, do: reload},
	{code: "nothing_to_change", say: text{"The request names nothing to change.", "変更する内容が指定されていません。"}, do: correct},
	{code: "bad_undo", say: text{"", "取り消せるものがありません。"}, do: reload},
	{code: "undo_gone", say: text{"", "もう取り消せません。"}, do: reload},
	{code: "item_not_in_body", say: text{"The body of this item can no longer be read.", "この記事の本文はもう読み取れません。"}, do: text{"Open the original.", "元のページを開いてください。"}},
	{code: "body_too_large", say: text{"The body of this item is too large to be shown here.", "この記事の本文は大きすぎて、ここには表示できません。"}, do: text{"Open the original.", "元のページを開いてください。"}},

	// Import and export
	{code: "bad_upload", say: text{"The file did not arrive whole, or not in a field named file.", "ファイルが届いていないか、file という名前の項目にありません。"}, do: again},
	{code: "not_opml", say: text{"This is not an OPML file.", "これは OPML ファイルではありません。"}, do: chooseOPML},
	{code: "opml_empty", say: text{"", "ファイルが空です。"}, do: text{"Choose another file.", "別のファイルを選んでください。"}},
	{code: "opml_malformed", say: text{"The file is broken: its XML breaks off in the middle.", "ファイルが壊れています(XML が途中で崩れています)。"}, do: exportAgain},
	{code: "opml_truncated", say: text{"The file is broken: its XML ends in the middle.", "ファイルが壊れています(XML が途中で終わっています)。"}, do: exportAgain},
	{code: "opml_entities", say: text{"The file declares XML entities; such files are not imported.", "ファイルが XML の実体を定義しています。このようなファイルは取り込めません。"}, do: exportAgain},
	{code: "opml_too_deep", say: text{"The folders of the file are nested too deep.", "ファイルのフォルダーの入れ子が深すぎます。"}, do: text{"Use fewer levels of folders.", "フォルダーの階層を減らしてください。"}},
	{code: "opml_too_large", say: text{"The file is too large for a list of subscriptions.", "購読リストとしてはファイルが大きすぎます。"}, do: text{"Import it in parts.", "分けて取り込んでください。"}},

	// Runs and dead letters
	{code: "run_not_found", say: text{"There is no such run, or it is no longer kept.", "この巡回の記録はないか、保存期間が過ぎています。"}, do: backToList},
	{code: "dead_letter_not_found", say: text{"This message is no longer among the dead letters.", "このメッセージはもう未配達の一覧にありません。"}, do: text{"Reload the list.", "一覧を読み込み直してください。"}},

	// Storage and queue
	{code: "storage_full", say: text{"The disk is full. Nothing that was stored is lost, but nothing new can be stored.", "ディスクがいっぱいです。保存済みのものは失われていませんが、新しく保存できません。"}, do: text{"Make room on the disk.", "ディスクの空きを増やしてください。"}, category: "system", status: http.StatusInsufficientStorage},
	{code: "storage_denied", say: text{"The data folder may not be written to.", "データフォルダーに書き込む権限がありません。"}, do: text{"Give the reader the right to write there.", "書き込みを許可してください。"}, category: "system", status: http.StatusServiceUnavailable},
	{code: "storage_busy", say: text{"Another program keeps the database busy.", "別のプログラムがデータベースを使っています。"}, do: inAMoment},
	{code: "storage_unavailable", say: noStorage, do: inAMoment, category: "system", status: http.StatusServiceUnavailable},
	{code: "storage_failed", say: noStorage, do: inAMoment, category: "system", status: http.StatusServiceUnavailable},
	{code: "storage_throttled", say: noStorage, do: inAMoment, category: "system", status: http.StatusServiceUnavailable},
	{code: "throttled", say: noStorage, do: inAMoment, category: "system", status: http.StatusServiceUnavailable},
	{code: "write_rate", say: noStorage, do: inAMoment, category: "system", status: http.StatusServiceUnavailable},
	{code: "contended", say: noStorage, do: inAMoment, category: "system", status: http.StatusServiceUnavailable},
	{code: "row_too_large", say: text{"This is larger than the reader can store.", "大きすぎて保存できません。"}, do: sendLess},
	{code: "closed", say: text{"The reader is just being shut down.", "リーダーを終了しています。"}, do: inAMoment},
	{code: "state_contended", say: text{"Other changes to the same feed came in between.", "同じフィードへの変更が重なりました。"}, do: again},
	{code: "subscribers_contended", say: text{"Other changes to the same feed came in between.", "同じフィードへの変更が重なりました。"}, do: again},
	{code: "commit_contended", say: text{"Other changes to the same feed came in between.", "同じフィードへの変更が重なりました。"}, do: again},
	{code: "queue_unavailable", say: text{"The queue does not answer at the moment.", "いまはキューが応答しません。"}, do: inAMoment},
	{code: "queue_throttled", say: text{"The queue does not answer at the moment.", "いまはキューが応答しません。"}, do: inAMoment},
	{code: "secrets_unavailable", say: text{"The place of the secrets does not answer at the moment.", "いまは秘密情報の保管先が応答しません。"}, do: inAMoment},
}

var noStorage = text{"The storage does not answer at the moment.", "いまは保存先が応答しません。"}

// ours are codes of mistakes that no caller can make: they are answered as "internal", and the log has them.
var ours = []string{
	"bad_attribute",
	"bad_condition",
	"bad_delay",
	"bad_field",
	"bad_key",
	"bad_message",
	"bad_meta",
	"bad_query",
	"bad_range",
	"bad_request",
	"bad_row",
	"bad_ttl",
	"bad_update",
	"bad_value",
	"blob_not_found",
	"blob_too_large",
	"condition_failed",
	"home_half_filled",
	"message_too_large",
	"metadata_too_large",
	"no_owner",
	"part_busy",
	"queue_not_found",
	"row_not_found",
	"stale_handle",
	"storage_foreign",
	"unknown_message_kind",
}
