package texts

import "github.com/ruri-reader/ruri/internal/fault"

// Errors has the texts of every code that a caller can get, one line each.
var Errors = map[string]Texts{
	// Signing in and tokens
	"not_signed_in":         {Text{"You are not signed in, or your session has expired.", "ログインしていないか、セッションの有効期限が切れています。"}, signIn},
	"session_ended":         {Text{"This session has ended.", "このセッションは終了しています。"}, signIn},
	"wrong_login":           {Text{"The e-mail address or password is incorrect.", "メールアドレスまたはパスワードが正しくありません。"}, Text{"Check both and try again.", "確認して、もう一度入力してください。"}},
	"too_many_logins":       {Text{"Too many sign-in attempts.", "ログインの試行回数が多すぎます。"}, waitALittle},
	"link_not_valid":        {Text{"This link has already been used or has expired.", "このリンクは使用済みか、有効期限が切れています。"}, Text{"Request a new link.", "新しいリンクを発行してもらってください。"}},
	"token_not_found":       {Text{"This token no longer exists.", "このトークンは存在しません。"}, backToList},
	"user_not_found":        {Text{"This user no longer exists.", "このユーザーは存在しません。"}, signIn},
	"cross_origin":          {Text{"This request came from another site.", "別のサイトからのリクエストと判断されました。"}, Text{"Reload the page and try again.", "ページを再読み込みして、もう一度お試しください。"}},
	"owner_only":            {Text{"Only the owner of this reader can do this.", "この操作は、このリーダーの所有者だけができます。"}, Text{"Sign in as the owner.", "所有者としてログインしてください。"}},
	"wrong_scope":           {Text{"This token does not have the permission for this.", "このトークンにはこの操作の権限がありません。"}, Text{"Create a token with all permissions.", "すべての権限を持つトークンを作成してください。"}},
	"scope_missing":         {Text{"This token does not have the scope %s.", "このトークンには権限「%s」がありません。"}, Text{"Use or create a token that has it.", "その権限のあるトークンを使うか、作成してください。"}},
	"bad_scope":             {Text{"The scopes of a token are read, write and admin, or metrics or sync alone.", "トークンの権限は read、write、admin（複数可）、または metrics か sync のどちらか一つです。"}, correctRequest},
	"bad_token_expiry":      {Text{"A token must expire in the future, or never.", "トークンの有効期限には未来の日時を指定するか、無期限にしてください。"}, correctInput},
	"token_limit":           {Text{"You have reached the limit of %d tokens.", "トークンは%d個まで作成できます。"}, Text{"Revoke one that you no longer use.", "使っていないトークンを無効にしてください。"}},
	"session_not_found":     {Text{"This session does not exist.", "このセッションは存在しません。"}, reload},
	"session_needed":        {Text{"This action requires a signed-in user; an API token is not enough.", "この操作は API トークンではできません。"}, signIn},
	"bad_flag":              {Text{"%s must be true or false.", "%s は true または false です。"}, correctRequest},
	"bad_token_description": {Text{"A description has at most %d characters.", "説明は%d文字以内で入力してください。"}, correctInput},
	"token_revoked":         {Text{"This token was revoked.", "このトークンは取り消されています。"}, Text{"Create a new one in the settings, and enter it where this one was used.", "設定で新しいトークンを作成し、使用していた場所で差し替えてください。"}},
	"token_expired":         {Text{"This token has expired.", "このトークンは有効期限が切れています。"}, Text{"Create a new one in the settings, and enter it where this one was used.", "設定で新しいトークンを作成し、使用していた場所で差し替えてください。"}},
	"bad_token_name":        {Text{"A token needs a name of at most 100 characters.", "トークンの名前を100文字以内で入力してください。"}, correctInput},
	"bad_email":             {Text{"This is not a valid e-mail address.", "有効なメールアドレスではありません。"}, correctInput},
	"email_taken":           {Text{"This e-mail address is already in use.", "このメールアドレスはすでに使われています。"}, Text{"Sign in to that account, or use another address.", "そのアカウントでログインするか、別のアドレスを使ってください。"}},
	"edge_only":             {Text{"This reader can only be reached at its public address.", "このリーダーには、公開されたアドレスからのみアクセスできます。"}, Text{"Open the reader at its public address.", "リーダーの公開アドレスを開いてください。"}},
	"bad_password":          {Text{"A password must have %d to %d characters.", "パスワードは%d〜%d文字で入力してください。"}, Text{"Choose another password.", "別のパスワードにしてください。"}},
	"password_pattern":      {Text{"This password is only a pattern of repeated or consecutive characters.", "同じ文字の繰り返しや連続した文字だけのパスワードは使えません。"}, fourWords},
	"password_usual":        {Text{"This password is too easy to guess.", "推測されやすいパスワードです。"}, fourWords},
	"password_personal":     {Text{"This password is too similar to your e-mail address.", "メールアドレスに似たパスワードは使えません。"}, fourWords},
	"wrong_password":        {Text{"The current password is incorrect.", "現在のパスワードが正しくありません。"}, Text{"Enter it again.", "もう一度入力してください。"}},
	"failed":                {Text{"Sign-in failed.", "ログインできませんでした。"}, again},
	"sign_in_expired":       {Text{"The sign-in took too long, or was started in another window.", "ログインの有効時間が過ぎたか、別のウィンドウで開始されています。"}, startOver},
	"sign_in_again":         {Text{"This action requires a recent sign-in.", "この操作には、最近のログインが必要です。"}, Text{"Sign in again and retry.", "もう一度ログインしてからお試しください。"}},
	"no_provider":           {Text{"This reader does not offer this sign-in method.", "このリーダーでは、このログイン方法は使えません。"}, anotherWay},
	"provider_unavailable":  {Text{"The sign-in service is not responding.", "ログインサービスが応答しません。"}, tryOrAnotherWay},
	"provider_denied":       {Text{"The sign-in service denied the request, or you cancelled it.", "ログインサービスで拒否されたか、キャンセルされました。"}, tryOrAnotherWay},
	"provider_refused":      {Text{"The response of the sign-in service could not be verified.", "ログインサービスの応答を検証できませんでした。"}, startOver},
	"email_unverified":      {Text{"The sign-in service has not verified your e-mail address.", "ログインサービスで、メールアドレスが確認されていません。"}, Text{"Verify your address there, then try again.", "そちらでアドレスを確認してから、もう一度お試しください。"}},
	"identity_taken":        {Text{"This sign-in is linked to another user of this reader.", "このログイン方法は、別のユーザーに連携されています。"}, Text{"Sign in as that user, or choose another account.", "そのユーザーとしてログインするか、別のアカウントを選んでください。"}},
	"identity_limit":        {Text{"You cannot link any more sign-in methods.", "これ以上ログイン方法を連携できません。"}, Text{"Remove one first.", "先にどれかを解除してください。"}},
	"identity_not_found":    {Text{"This sign-in is not linked to your account.", "このログイン方法は連携されていません。"}, reload},
	"last_way_in":           {Text{"This is your only way to sign in.", "ログイン方法がなくなるため、解除できません。"}, Text{"Add a password, a passkey or another sign-in first.", "先に、パスワード、パスキー、または別の連携を追加してください。"}},
	"sign_up_closed":        {Text{"New users need an invitation to this reader.", "このリーダーへの登録には招待が必要です。"}, Text{"Ask the owner for an invitation.", "所有者に招待を依頼してください。"}},
	"sign_up_refused":       {Text{"This e-mail address could not be used to sign up.", "このメールアドレスでは登録できませんでした。"}, Text{"If you already have an account, sign in.", "アカウントをお持ちの場合は、ログインしてください。"}},
	"bad_sign_up":           {Text{"signUp must be closed, invitation or open.", "新規登録は closed、invitation、open のいずれかです。"}, correctRequest},
	"invitation_not_valid":  {Text{"This invitation has been used, withdrawn or has expired.", "この招待は使用済みか、取り消されたか、有効期限が切れています。"}, Text{"Ask for a new one.", "新しい招待を依頼してください。"}},
	"invitation_limit":      {Text{"There are already %d unused invitations.", "未使用の招待が%d件あります。"}, Text{"Withdraw some first.", "先にいくつか取り消してください。"}},
	"bad_note":              {Text{"A note can have at most %d characters.", "メモは%d文字以内で入力してください。"}, correctInput},
	"passkey_unavailable":   {Text{"Passkeys do not work at this address.", "このアドレスではパスキーを使えません。"}, Text{"Open the reader by its host name with https, or as http://localhost.", "https のホスト名か、http://localhost で開いてください。"}},
	"passkey_refused":       {Text{"This passkey was not accepted.", "このパスキーは使えません。"}, tryOrAnotherWay},
	"passkey_exists":        {Text{"This passkey is already registered.", "このパスキーはすでに登録されています。"}, Text{"No action needed. You can sign in with it.", "何もする必要はありません。そのままログインに使えます。"}},
	"passkey_limit":         {Text{"You can have at most %d passkeys.", "パスキーは%d個まで登録できます。"}, Text{"Remove one that you no longer use.", "使っていないものを削除してください。"}},
	"passkey_not_found":     {Text{"This passkey does not exist.", "このパスキーは存在しません。"}, reload},
	"bad_passkey_name":      {Text{"A passkey needs a name of at most %d characters.", "パスキーの名前を%d文字以内で入力してください。"}, correctInput},

	// The account: data, removal, preferences
	"not_takeout":        {Text{"This is not an archive that this program exported.", "このプログラムでエクスポートしたアーカイブではありません。"}, chooseArchive},
	"takeout_newer":      {Text{"This archive was exported by a newer version of the program.", "このアーカイブは新しいバージョンのプログラムで作成されています。"}, Text{"Update this reader first.", "先にこのリーダーを更新してください。"}},
	"takeout_broken":     {Text{"The archive is damaged in %s.", "アーカイブの %s が壊れています。"}, exportAgain},
	"takeout_too_large":  {Text{"%s in the archive is too large when unpacked.", "アーカイブの %s が、展開すると大きすぎます。"}, chooseArchive},
	"bad_confirmation":   {Text{"This is not the e-mail address of this account.", "このアカウントのメールアドレスではありません。"}, correctInput},
	"owner_removal":      {Text{"You are the owner of this reader; without you it has none.", "あなたはこのリーダーの所有者です。削除すると所有者がいなくなります。"}, Text{"Confirm with owner=true; a new owner is created at the next start.", "owner=true で確認してください。次の起動時に新しい所有者が作成されます。"}},
	"unknown_preference": {Text{"There is no preference with this name.", "この名前の設定はありません。"}, correctRequest},
	"bad_preference":     {Text{"The value must be one of: %s.", "次のいずれかを指定してください: %s。"}, correctRequest},
	"settings_contended": {Text{"The settings were changed at the same time.", "設定が同時に変更されました。"}, again},

	// Requests
	"not_found":                {Text{"There is nothing at this address.", "このアドレスには何もありません。"}, Text{"Check the address; /api/openapi.json lists all of them.", "アドレスを確認してください。一覧は /api/openapi.json にあります。"}},
	"method_not_allowed":       {Text{"This address does not support this method.", "このアドレスでは、このメソッドは使えません。"}, Text{"Use one of the methods in the Allow header.", "Allow ヘッダーにあるメソッドを使ってください。"}},
	"bad_json":                 {Text{"The request body is not the expected JSON.", "リクエスト本文の JSON が正しくありません。"}, correctRequest},
	"unknown_field":            {Text{"There is no field with this name.", "この名前の項目はありません。"}, correctRequest},
	"missing_field":            {Text{"This field is required.", "この項目は必須です。"}, correctRequest},
	"wrong_type":               {Text{"The value has the wrong type.", "値の型が正しくありません。"}, correctRequest},
	"several_fields":           {Text{"Several fields are invalid.", "複数の項目に誤りがあります。"}, correctInput},
	"request_too_large":        {Text{"The request is larger than %s.", "リクエストが %s を超えています。"}, sendLess},
	"bad_limit":                {Text{"The limit must be from 1 to 200.", "件数は1〜200で指定してください。"}, correctRequest},
	"bad_ids":                  {Text{"Give 1 to %d article IDs, separated by commas.", "記事の ID を1〜%d件、カンマ区切りで指定してください。"}, correctRequest},
	"bad_filter":               {Text{"The filter must be all, unread, starred or hidden.", "filter は all、unread、starred、hidden のいずれかです。"}, correctRequest},
	"mark_ambiguous":           {Text{"Give either a feed or a folder, and either above or below.", "フィードとフォルダー、above と below は、それぞれどちらか一方を指定してください。"}, correctRequest},
	"scope_ambiguous":          {Text{"Give only one of feed, folder and label.", "フィード、フォルダー、ラベルは、いずれか一つを指定してください。"}, correctRequest},
	"mark_too_far":             {Text{"There are too many articles between this one and the end of the list.", "この記事から一覧の端までの記事が多すぎます。"}, Text{"Mark the feed or the folder as read instead.", "代わりにフィードまたはフォルダーを既読にしてください。"}},
	"too_many_items":           {Text{"At most %d articles can be changed at once.", "一度に変更できる記事は%d件までです。"}, Text{"Split the request.", "何回かに分けて送ってください。"}},
	"bad_batch":                {Text{"A batch needs a device and a counter, both at least 1.", "batch には1以上の device と counter を指定してください。"}, correctRequest},
	"bad_as_of":                {Text{"This list is too old to be marked as read.", "一覧が古いため、既読にできません。"}, openAgain},
	"bad_since":                {Text{"The time must look like 2026-01-31T12:00:00Z.", "日時は 2026-01-31T12:00:00Z の形式で指定してください。"}, correctRequest},
	"bad_time":                 {Text{"The time must look like 2026-11-21T09:00:00Z, or be in Unix seconds.", "日時は 2026-11-21T09:00:00Z の形式か、Unix 秒で指定してください。"}, correctRequest},
	"bad_item_order":           {Text{"The order must be newest, oldest or, in lists, popular.", "並び順は newest、oldest、または一覧では popular です。"}, correctRequest},
	"bad_hot_order":            {Text{"The order must be count or rising.", "並び順は count または rising です。"}, correctRequest},
	"public_folder_limit":      {Text{"At most %d folders can be public.", "公開できるフォルダーは%d個までです。"}, correctInput},
	"bad_client_id":            {Text{"A client ID has up to 200 letters, digits and signs, without spaces.", "Client IDは200文字以内の英数字と記号で、空白は使えません。"}, correctInput},
	"bad_public_threshold":     {Text{"The least count must be 1, 3, 10, 50 or 100.", "最小の件数は1、3、10、50、100のいずれかです。"}, correctRequest},
	"bad_language":             {Text{"The language must be en or ja.", "言語は en または ja です。"}, correctRequest},
	"bad_period":               {Text{"The period must be day, week, month or all.", "期間は day、week、month、all のいずれかです。"}, correctRequest},
	"unknown_tag":              {Text{"No article of the last 30 days in your feeds has this tag.", "購読中のフィードの最近30日の記事に、このタグが付いたものはありません。"}, openAgain},
	"bad_threshold":            {Text{"The least count must be a number from 0 to 1,000,000.", "最小の件数は0〜1,000,000で指定してください。"}, correctRequest},
	"bad_offset":               {Text{"The offset must be from 0 to %d, and not together with a cursor.", "offset は0〜%dで、cursor と同時には指定できません。"}, correctRequest},
	"offset_without_threshold": {Text{"A list of all entries has no offset, only a cursor.", "すべての記事の一覧では offset を使えません。cursor を使ってください。"}, correctRequest},
	"bad_cursor":               {Text{"This position in the list is no longer valid.", "一覧のこの位置はもう使えません。"}, openAgain},
	"search_too_long":          {Text{"A search can have at most %d characters and %d words.", "検索できるのは%d文字、%d語までです。"}, correctInput},
	"search_empty":             {Text{"Enter at least one word to search for.", "検索する言葉を1つ以上入力してください。"}, correctInput},
	"bad_search_day":           {Text{"Give the day as year, month and day, such as 2026-05-03.", "日付は 2026-05-03 のように年月日で指定してください。"}, correctInput},
	"bad_days":                 {Text{"The number of days must be from 1 to %d.", "日数は1〜%dで指定してください。"}, correctRequest},
	"bad_region":               {Text{"There are no prices for this region.", "このリージョンの料金データはありません。"}, correctRequest},
	"rate_limited":             {Text{"Too many requests.", "リクエストが多すぎます。"}, waitALittle},
	"cancelled":                {Text{"The request took too long.", "処理に時間がかかりすぎました。"}, again},
	"internal": {Text{"Something went wrong on the server.", "サーバーで問題が発生しました。"}, Text{
		"Try again. If this continues, send the code and the request ID to the owner of this reader.",
		"もう一度お試しください。続く場合は、コードとリクエスト ID をこのリーダーの所有者に伝えてください。",
	}},

	// Subscriptions
	"bad_url":              {Text{"This is not a valid web address (http or https).", "有効な Web アドレス（http または https）ではありません。"}, Text{"Check the spelling, for example https://example.org/feed.", "アドレスのつづりを確認してください。例: https://example.org/feed"}},
	"subscription_limit":   {Text{"Your account has reached its limit of %d subscriptions (%s).", "購読数がアカウントの上限 %d 件に達しています（%s）。"}, Text{"Unsubscribe from a feed to make room, or ask the owner of this server to raise the limit.", "どれかの購読を解除するか、サーバーの所有者に上限の変更を依頼してください。"}},
	"feed_not_found":       {Text{"You are not subscribed to this feed.", "このフィードは購読していません。"}, backToList},
	"icon_not_found":       {Text{"This icon does not exist.", "このアイコンはありません。"}, reload},
	"no_image_decoder":     {Text{"This process cannot read images.", "このプロセスは画像を読み取れません。"}, tellOwner},
	"feed_stopped":         {Text{"This feed is stopped.", "このフィードは停止しています。"}, Text{"Resume it first.", "先に再開してください。"}},
	"feed_is_watch":        {Text{"This is a watch, which has no feed.", "これはウォッチで、フィードはありません。"}, Text{"Change the page in the settings of the watch.", "ウォッチの設定でページを変更してください。"}},
	"feed_not_failing":     {Text{"This feed is fetched without problems at its current address.", "このフィードは現在のアドレスで正常に取得できています。"}, fetchedAutomatically},
	"feed_not_stopped":     {Text{"This feed is not stopped.", "このフィードは停止していません。"}, fetchedAutomatically},
	"feed_numbers_used_up": {Text{"This reader has reached its limit of feeds.", "このリーダーのフィード数が上限に達しています。"}, tellOwner},
	"too_soon":             {Text{"Just checked. Try again in %s.", "確認したばかりです。%s後にもう一度お試しください。"}, checkedAutomatically},
	"site_asks_to_wait":    {Text{"The site asks to wait. Try again in %s.", "サイトから待つよう求められています。%s後にもう一度お試しください。"}, checkedAutomatically},
	"refresh_not_found":    {Text{"This refresh does not exist or is no longer stored.", "この更新は存在しないか、保存期間が過ぎています。"}, again},
	"host_busy":            {Text{"This site is being fetched right now.", "いまこのサイトを取得しています。"}, Text{"Try again in half a minute.", "30秒ほど待って、もう一度お試しください。"}},
	"bad_interval":         {Text{"The interval must be %d to %d minutes, in steps of %d.", "間隔は%d〜%d分の範囲で、%d分刻みで指定してください。"}, correctInput},
	"bad_title":            {Text{"A title needs a visible character, has at most %d characters, and no control characters.", "タイトルは%d文字以内で入力してください。表示できる文字が必要で、制御文字は使えません。"}, correctInput},
	"bad_position":         {Text{"The position must be from 0 to %d.", "位置は0〜%dで指定してください。"}, correctRequest},
	"too_many_folders":     {Text{"A feed can be in at most %d folders.", "一つのフィードを入れられるフォルダーは%d個までです。"}, correctInput},
	"too_many_changes":     {Text{"At most %d changes can be made at once.", "一度に変更できるのは%d件までです。"}, sendLess},
	"feed_waiting":         {Text{"The feed at this address has not been fetched yet.", "このアドレスのフィードはまだ取得されていません。"}, Text{"Try again in a few minutes. Both subscriptions are kept until then.", "数分後にもう一度お試しください。それまで両方の購読が残ります。"}},

	// Folders and labels
	"bad_folder":       {Text{"A folder name can have at most 200 characters.", "フォルダー名は200文字以内で入力してください。"}, correctInput},
	"bad_name":         {Text{"A name needs a visible character, has at most %d characters, and no control characters.", "名前は%d文字以内で入力してください。表示できる文字が必要で、制御文字は使えません。"}, correctInput},
	"folder_not_found": {Text{"This folder does not exist.", "このフォルダーは存在しません。"}, reload},
	"folder_exists":    {Text{"There is already a folder with this name here.", "同じ名前のフォルダーがすでにあります。"}, anotherName},
	"folder_limit":     {Text{"You have reached the limit of %d folders.", "フォルダーが上限の%d個に達しています。"}, deleteOne},
	"folder_too_deep":  {Text{"Folders can be nested at most %d levels deep.", "フォルダーの階層は%d段までです。"}, correctInput},
	"folder_in_itself": {Text{"A folder cannot be moved into itself.", "フォルダーをそれ自身の中には移動できません。"}, correctInput},
	"label_not_found":  {Text{"This label does not exist.", "このラベルは存在しません。"}, reload},
	"label_exists":     {Text{"There is already a label with this name.", "同じ名前のラベルがすでにあります。"}, anotherName},
	"label_limit":      {Text{"You have reached the limit of %d labels.", "ラベルが上限の%d個に達しています。"}, deleteOne},
	"bad_order":        {Text{"The order must contain each entry of the list exactly once.", "並び順には、一覧のすべてを一度ずつ指定してください。"}, reload},
	"tree_contended":   {Text{"The folders were changed at the same time.", "フォルダーが同時に変更されました。"}, again},

	// Searches
	"search_damaged":         {Text{"The search index is damaged and is being rebuilt.", "検索の索引が壊れているため、作り直しています。"}, waitALittle},
	"index_busy":             {Text{"Another process is making the search index.", "別のプロセスが検索の索引を作成しています。"}, waitALittle},
	"search_off":             {Text{"Search is turned off in this installation.", "このサーバーでは検索が無効になっています。"}, Text{"Ask the owner to turn it on.", "所有者に、検索を有効にするよう依頼してください。"}},
	"bad_search_sort":        {Text{"The order must be date, best or popular.", "並び順は date、best、popular のいずれかです。"}, correctRequest},
	"bad_search_since":       {Text{"This answer is too old to ask what came after it.", "前回の検索結果が古いため、その後の新着を調べられません。"}, openAgain},
	"bad_time_zone":          {Text{"The time zone is a number of minutes east of UTC, such as 540.", "タイムゾーンは UTC との差を分で指定してください（例: 540）。"}, correctRequest},
	"bad_kana":               {Text{"kana must be fold or exact.", "kana は fold または exact です。"}, correctRequest},
	"saved_search_not_found": {Text{"This saved search does not exist.", "この保存した検索は存在しません。"}, reload},
	"saved_search_limit":     {Text{"You have reached the limit of %d saved searches.", "保存した検索が上限の%d件に達しています。"}, deleteOne},

	// Watches
	"watch_not_found":    {Text{"This watch does not exist.", "このウォッチは存在しません。"}, backToList},
	"result_not_found":   {Text{"This result does not exist.", "この結果は存在しません。"}, backToList},
	"watch_limit":        {Text{"You have reached the limit of %d watches.", "ウォッチが上限の%d件に達しています。"}, deleteOne},
	"watch_paused":       {Text{"This watch is paused.", "このウォッチは一時停止中です。"}, Text{"Resume it first.", "先に再開してください。"}},
	"host_limit":         {Text{"All watches of a site together may send %d requests an hour and %d a day; with this one it would be more.", "一つのサイトへのアクセスは、すべてのウォッチの合計で1時間に%d回、1日に%d回までです。このウォッチを加えると超過します。"}, Text{"Choose fewer pages or a longer interval.", "ページ数を減らすか、間隔を長くしてください。"}},
	"terms_not_accepted": {Text{"Watching a page requires that its site permits it.", "ページをウォッチするには、サイトが許可している必要があります。"}, Text{"Read the site's terms of service, and confirm that they permit this.", "サイトの利用規約を読み、許可されていることを確認してください。"}},
	"no_details":         {Text{"The pages of single results of this site do not tell when something was sold.", "このサイトの個別ページからは、売り切れた日を読み取れません。"}, Text{"Turn off exact dates of sales.", "「売り切れた日を正確に記録する」をオフにしてください。"}},
	"site_paced":         {Text{"This site asks for a longer time between two requests.", "このサイトは、アクセスの間隔を長く空けるよう求めています。"}, Text{"Try again in a minute.", "1分ほどしてからやり直してください。"}},
	"preview_expired":    {Text{"The page of this preview is no longer kept.", "プレビューしたページの保存期間が過ぎています。"}, Text{"Preview the page again.", "もう一度プレビューしてください。"}},
	"bad_setting":        {Text{"This setting of a watch is invalid.", "ウォッチのこの設定に誤りがあります。"}, correctInput},
	"layout_invalid":     {Text{"Rows or fields cannot be found in this way (%s).", "この指定では行や項目を読み取れません（%s）。"}, correctInput},
	"adapter_invalid":    {Text{"The adapter has an error: %s.", "アダプターに誤りがあります（%s）。"}, correctInput},
	"adapter_not_found":  {Text{"This adapter does not exist.", "このアダプターは存在しません。"}, Text{"Enter the address of the page instead.", "代わりにページのアドレスを入力してください。"}},
	"adapter_other_host": {Text{"The adapter does not describe the site of this address.", "このアダプターは、このアドレスのサイトのものではありません。"}, correctInput},
	"bad_trend_range":    {Text{"The range must be 30d, 90d, 1y or all.", "期間は 30d、90d、1y、all のいずれかです。"}, correctRequest},
	"bad_result_status":  {Text{"The status must be onSale, sold, gone or all.", "status は onSale、sold、gone、all のいずれかです。"}, correctRequest},
	"bad_result_sort":    {Text{"The order must be price, date or sold.", "並び順は price、date、sold のいずれかです。"}, correctRequest},
	"bad_result_format":  {Text{"The format must be csv or json.", "形式は csv または json です。"}, correctRequest},
	"bad_amount":         {Text{"An amount is a whole number from 0 on, in minor units.", "金額は、通貨の最小単位の0以上の整数で指定してください。"}, correctRequest},

	// Rules
	"too_many_rules":     {Text{"There can be at most %d rules.", "ルールは%d個までです。"}, correctInput},
	"bad_rule_id":        {Text{"Two rules have the same ID.", "ルールの ID が重複しています。"}, correctRequest},
	"bad_rule_match":     {Text{"match must be all or any.", "match は all または any です。"}, correctRequest},
	"bad_rule_count":     {Text{"There must be %d to %d entries.", "%d〜%d個にしてください。"}, correctInput},
	"bad_rule_word":      {Text{"A word needs a letter, a digit or a symbol.", "単語には、文字、数字、記号のいずれかが必要です。"}, correctInput},
	"bad_rule_value":     {Text{"This value cannot be used here.", "この値はここでは使えません。"}, correctInput},
	"rule_text_too_long": {Text{"The text can have at most %d characters.", "%d文字以内で入力してください。"}, correctInput},
	"bad_rule_search":    {Text{"The search of a rule cannot use is:, after: or before:.", "ルールの検索では is:、after:、before: は使えません。"}, correctInput},
	"bad_regexp":         {Text{"The regular expression has an error at character %d: %s.", "正規表現の%d文字目に誤りがあります（%s）。"}, correctInput},
	"regexp_too_large":   {Text{"The regular expression is too large. Use fewer repetitions.", "正規表現が大きすぎます。繰り返しを減らしてください。"}, correctInput},
	"patterns_too_large": {Text{"The regular expressions are too large in total.", "正規表現の合計が大きすぎます。"}, correctInput},
	"rules_too_large":    {Text{"The rules are too large in total.", "ルールの合計が大きすぎます。"}, correctInput},
	"rules_changed":      {Text{"The rules were changed elsewhere in the meantime.", "ルールが別の場所で変更されています。"}, reload},
	"rule_not_found":     {Text{"This rule does not exist.", "このルールは存在しません。"}, reload},

	// Webhooks
	"webhook_not_found":       {Text{"This webhook does not exist.", "この Webhook は存在しません。"}, reload},
	"webhook_limit":           {Text{"You have reached the limit of %d webhooks.", "Webhook が上限の%d個に達しています。"}, deleteOne},
	"webhook_no_events":       {Text{"Choose new articles, starred articles, or both.", "新着記事、スターを付けた記事、またはその両方を指定してください。"}, correctInput},
	"webhook_bad_feeds":       {Text{"feeds must be all or notify.", "feeds は all または notify です。"}, correctRequest},
	"bad_webhook_url":         {Text{"Enter a valid http or https URL.", "有効な http または https の URL を入力してください。"}, correctInput},
	"webhook_address_refused": {Text{"This address is not public, or its port is not allowed.", "公開されたアドレスではないか、許可されていないポートです。"}, Text{"Use a public address.", "公開されたアドレスを使ってください。"}},
	"webhook_off":             {Text{"This webhook is off.", "この Webhook は無効になっています。"}, Text{"Turn it on first.", "先に有効にしてください。"}},
	"webhook_contended":       {Text{"The webhook was changed at the same time.", "Webhook が同時に変更されました。"}, again},
	"delivery_not_found":      {Text{"This delivery is not in the list of failed deliveries.", "この配信は、送信を断念した配信の一覧にありません。"}, reload},

	// Items and their state
	"item_not_found":    {Text{"This article does not exist or is no longer stored.", "この記事は存在しないか、保存期間が過ぎています。"}, backToList},
	"bad_item":          {Text{"The article belongs to another feed.", "別のフィードの記事です。"}, reload},
	"nothing_to_change": {Text{"The request contains no change.", "変更内容が指定されていません。"}, correctRequest},
	"bad_undo":          {Text{"There is nothing to undo.", "元に戻せる操作がありません。"}, reload},
	"undo_gone":         {Text{"This can no longer be undone.", "この操作はもう元に戻せません。"}, reload},
	"body_too_large":    {Text{"The text of this article is too large to be shown here.", "この記事の本文は大きすぎて表示できません。"}, openOriginal},

	// Import and export
	"bad_upload": {Text{"The file did not arrive completely, or is not in a field named file.", "ファイルが正しく届いていないか、file という名前の項目にありません。"}, again},
	"not_opml": {Text{"This is not an OPML file.", "OPML ファイルではありません。"}, Text{
		"Export your subscriptions as OPML in your other reader, and choose that file.",
		"ほかのリーダーで購読リストを OPML としてエクスポートし、そのファイルを選んでください。",
	}},
	"opml_empty":        {Text{"The file is empty.", "ファイルが空です。"}, Text{"Choose another file.", "別のファイルを選んでください。"}},
	"opml_malformed":    {Text{"The file is damaged: its XML is invalid (line %d).", "ファイルが壊れています（XML の%d行目に誤りがあります）。"}, exportAgain},
	"opml_truncated":    {Text{"The file is incomplete: its XML ends too early (line %d).", "ファイルが不完全です（XML が%d行目で途切れています）。"}, exportAgain},
	"opml_entities":     {Text{"The file declares XML entities (line %d); such files cannot be imported.", "XML の実体宣言を含むファイルはインポートできません（%d行目）。"}, exportAgain},
	"opml_too_deep":     {Text{"The folders in the file are nested too deeply (line %d).", "ファイル内のフォルダーの階層が深すぎます（%d行目）。"}, Text{"Use fewer levels of folders.", "フォルダーの階層を減らしてください。"}},
	"opml_too_large":    {Text{"One import accepts files of up to %d MB.", "一度にインポートできるファイルは %d MB までです。"}, importInParts},
	"not_starred":       {Text{"This is not a file of starred articles.", "スター付き記事のファイルではありません。"}, Text{"Choose the JSON file of starred articles that another reader exported.", "ほかのリーダーがエクスポートした、スター付き記事の JSON ファイルを選んでください。"}},
	"starred_too_large": {Text{"One import accepts files of up to %d MB.", "一度にインポートできるファイルは %d MB までです。"}, importInParts},
	"import_not_found":  {Text{"This import does not exist or is no longer stored.", "このインポートは存在しないか、保存期間が過ぎています。"}, backToList},
	"import_file_gone":  {Text{"The file of this import is no longer available.", "インポートするファイルがもうありません。"}, Text{"Import it again.", "もう一度インポートしてください。"}},

	// Runs and dead letters
	"run_not_found":         {Text{"This run does not exist or is no longer stored.", "この巡回は存在しないか、保存期間が過ぎています。"}, backToList},
	"dead_letter_not_found": {Text{"This message has already been handled.", "このメッセージはすでに処理されています。"}, Text{"Reload the list.", "一覧を再読み込みしてください。"}},

	// Storage and queue
	"storage_full":          {Text{"The disk is full. No data was lost, but nothing new can be saved.", "ディスクの空き容量がありません。データは失われていませんが、新しく保存できません。"}, Text{"Free some disk space.", "ディスクの空き容量を増やしてください。"}},
	"storage_denied":        {Text{"The data folder is not writable.", "データフォルダーに書き込めません。"}, Text{"Grant the reader write access to it.", "リーダーに書き込み権限を与えてください。"}},
	"storage_corrupt":       {Text{"The database of this reader is damaged.", "このリーダーのデータベースが壊れています。"}, Text{"The owner of this reader must restore a backup (ruri restore).", "このリーダーの所有者がバックアップを復元する必要があります（ruri restore）。"}},
	"row_damaged":           {Text{"What this reader has stored of this is damaged.", "保存されているデータが壊れています。"}, Text{"If it is a feed, unsubscribe and add it again. The log names what is damaged.", "フィードの場合は、購読を解除してもう一度追加してください。壊れた箇所はログに記録されます。"}},
	"storage_busy":          {Text{"The database is in use by another program.", "別のプログラムがデータベースを使用しています。"}, inAMoment},
	"storage_unavailable":   {noStorage, inAMoment},
	"storage_failed":        {noStorage, inAMoment},
	"storage_throttled":     {noStorage, inAMoment},
	"throttled":             {noStorage, inAMoment},
	"write_rate":            {noStorage, inAMoment},
	"contended":             {noStorage, inAMoment},
	"row_too_large":         {Text{"This is too large to be saved.", "大きすぎて保存できません。"}, sendLess},
	"closed":                {Text{"The reader is shutting down.", "リーダーを終了しています。"}, inAMoment},
	"state_contended":       {feedContended, again},
	"subscribers_contended": {feedContended, again},
	"commit_contended":      {feedContended, again},
	"queue_unavailable":     {noQueue, inAMoment},
	"queue_throttled":       {noQueue, inAMoment},
	"secrets_unavailable":   {Text{"The secret store is not responding.", "シークレットの保管先が応答しません。"}, inAMoment},
}

// kindTexts apply where a code has no texts of its own.
var kindTexts = map[fault.Kind]Texts{
	fault.Invalid:         {Text{"The request is invalid.", "リクエストに誤りがあります。"}, correctRequest},
	fault.Unauthenticated: {Text{"You are not signed in, or your session has expired.", "ログインしていないか、セッションの有効期限が切れています。"}, signIn},
	fault.Forbidden:       {Text{"You are not allowed to do this.", "この操作は許可されていません。"}, Text{"Sign in as a user who is allowed to.", "許可されているユーザーでログインしてください。"}},
	fault.NotFound:        {Text{"Not found.", "見つかりません。"}, backToList},
	fault.Conflict:        {Text{"This is not possible in the current state.", "現在の状態ではできません。"}, reload},
	fault.TooLarge:        {Text{"This is too large.", "大きすぎます。"}, sendLess},
	fault.RateLimited:     {Text{"Too many requests.", "リクエストが多すぎます。"}, waitALittle},
	fault.Unavailable:     {noStorage, inAMoment},
	fault.Cancelled:       {Text{"The request took too long.", "処理に時間がかかりすぎました。"}, again},
}

// Texts that several codes share.
var (
	noStorage     = Text{"The storage is not responding.", "ストレージが応答しません。"}
	noQueue       = Text{"The queue is not responding.", "キューが応答しません。"}
	feedContended = Text{"The feed was changed at the same time.", "フィードが同時に変更されました。"}
)

// Actions that several codes share.
var (
	correctRequest       = Text{"Correct the request.", "リクエストを修正してください。"}
	correctInput         = Text{"Check your input.", "入力内容を確認してください。"}
	checkedAutomatically = Text{"The feed is also checked automatically.", "フィードは自動でも確認されます。"}
	fetchedAutomatically = Text{"No action needed. It is fetched automatically.", "何もする必要はありません。自動的に取得します。"}
	signIn               = Text{"Sign in.", "ログインしてください。"}
	startOver            = Text{"Start over.", "最初からやり直してください。"}
	anotherWay           = Text{"Sign in another way.", "別の方法でログインしてください。"}
	tryOrAnotherWay      = Text{"Try again, or sign in another way.", "もう一度試すか、別の方法でログインしてください。"}
	fourWords            = Text{"Choose another one, such as four unrelated words.", "別のパスワードにしてください。関連のない四つの単語などがおすすめです。"}
	anotherName          = Text{"Choose another name.", "別の名前にしてください。"}
	deleteOne            = Text{"Delete one to make room.", "どれかを削除してください。"}
	backToList           = Text{"Go back to the list.", "一覧に戻ってください。"}
	reload               = Text{"Reload and try again.", "再読み込みして、もう一度お試しください。"}
	openAgain            = Text{"Open the list again.", "一覧を開き直してください。"}
	openOriginal         = Text{"Open the original.", "元のページを開いてください。"}
	sendLess             = Text{"Send less at once.", "小さく分けて送ってください。"}
	waitALittle          = Text{"Wait a moment and try again.", "少し待って、もう一度お試しください。"}
	inAMoment            = Text{"Try again in a moment.", "しばらくして、もう一度お試しください。"}
	again                = Text{"Try again.", "もう一度お試しください。"}
	tellOwner            = Text{"Contact the owner of this reader.", "このリーダーの所有者に連絡してください。"}
	siteLater            = Text{"Try again later. If this continues, open the address in a browser to check the site.", "しばらくして、もう一度お試しください。続く場合は、ブラウザで開けるか確認してください。"}
	siteBrowser          = Text{"Open the address in a browser. If it works there, contact the publisher.", "ブラウザで開いて確認してください。開ける場合は、配信元に連絡してください。"}
	exportAgain          = Text{"Export it again and import the new file.", "もう一度エクスポートして、そのファイルをインポートしてください。"}
	chooseArchive        = Text{"Choose an archive that an export created.", "エクスポートで作成したアーカイブを選んでください。"}
	importInParts        = Text{"Import it in parts.", "分けてインポートしてください。"}
)
