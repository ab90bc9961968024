package tags

import (
	"strings"
	"sync"
)

// Words that name nothing, and so end a phrase.
const (
	english = `a about above accept accepts across add added adding adds after again against agree agrees ago ahead aim aims all allow
allows almost along already also although always am amid among an and announce announced announces another any anyone anything appear
appears are aren't around arrive arrives as ask asked asks at avoid away back be became because become becomes been before began begin
begins behind being believe below best better between beyond big bigger biggest both break breaks bring brings broke build building
builds built but buy buying buys by call called calls came can can't cannot case cause causes change changed changes changing choose
claim claims close closes come comes coming consider could couldn't create created creates cut cuts day days deal debut decide decides did
didn't die dies different do does doesn't doing don't done down draw draws drop drops due during each early easily easy eight either
else end ends enough enter enters especially even ever every everyone everything exactly expect expected expects explain explained explains
explore face faces fail fails fall falls far fast faster favorite feel few fewer fight fights final finally find finding finds first five
fix fixed fixes fixing follow following follows for force forces former found four free from full further gain gains gave get gets getting
give given gives giving go goes going gone good got great grow growing grows guide had half happen happened happens hard has have having he
hear heard hears help helps her here here's hers him his hit hits hold holds hope hopes hot hour hours how however huge if
in including inside instead into introducing introduction is isn't issue issues it it's its itself join joins just keep keeping keeps kept key
kind know known knows large last late later latest launch launched launches lead leads learn learned learning leave leaves led left less
lesson lessons let let's lets life like likely list little live long longer look looking looks lose loses loss lost lot love low lower made
main major make makes making man many may maybe me mean means meet meets mid might mind minute minutes miss missing month months more most
move moved moves moving much must my near nearly need needed needs never new newest news next nine no nobody none nor not note notes
nothing now number of off offer offers often old older on once one ones only onto open opened opens or order other others our out outside
over overview own page part past pay pays people perfect per place plan planned plans play plays point points post present previous
problem probably provides push pushes put puts question questions quick quickly raise raises rather re reach reaches reached read reader
readers reading ready real really reason reasons recap receive receives recent record report reported reports release released releases
remain remains remove removes replace replaces return returns reveal revealed reveals review reviewed reviews right rise rises rising run
running runs said same save saves saw say saying says second see seek seeks seem seems seen sees sell sells send sends sent set sets seven
several shape she short should show showed showing shown shows side sign signs simple simply since six slow slowly small so some someone
something soon speed spend stand start started starting starts state stay stays step steps still stop stopped stopping stops story such
suggest suggests support supports sure switch switched switching take taken takes taking talk talks tell tells ten test tested testing tests
than thanks that that's the their them themselves then there there's these they thing things think thinking thinks this those though
thousand thread three through throughout thoughts time times tip tips to today together
tomorrow tonight too took top total toward towards tried tries try trying turn turned turning turns tutorial two under understand
understanding unveil unveiled unveils until up update updated updates upon us use used user uses using usually version very via video view
wait waiting want wanted wants warn warned warns was wasn't watch watching way ways we we'll we're we've week weekly weeks well went were
weren't what what's whatever when where whether which while who who's whole whose why will win wins winner with within without woman won
won't wonder word words work worked working works world worse worst worth would wouldn't write writes writing written wrong wrote year
years yes yesterday yet you you'd you'll you're you've your yours million billion hundred percent vs versus rc beta alpha part episode ep vol
chapter announcing ask tell hn til psa eli5 daily monthly annual check actually across available based best-of beginner beginners
complete ultimate definitive essential important common modern popular powerful comes approve approves approved ban bans banned back-to
beat beats begins blame blames block blocks blocked confirm confirms confirmed deliver delivers delay delays delayed deny denies despite
double doubles earn ease expand expands extend extends fear fears fine fined fines finish finishes fuel fuels hire hires hike kill killed
kills lift lifts link linked links mark marks name named names pass passes passed plunge plunges press pull pulls reject rejects rejected
require requires restore restores resume resumes ruin rule ruled rules seal seize share shared shares shift shifts shut shuts sink slash
slashes slip slips soar soars spark sparks steal step strike strikes struggle struggles study studied sue sues surge surges suspend swap tackle
target targets tease teases tops trim trims urge urges vow vows walk walks weigh weighs finds`
	// Stop words that English capitalises, so that a capital does not make them names.
	calendar = `i i'd i'll i'm i've monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december jan feb mar apr jun jul aug sep oct nov dec`

	// The most frequent small words of other languages, except those that mean something else in English.
	european = `der die das und ist ein eine einen einem einer des dem den im von zu mit auf für nicht auch sich wie als bei nach aus zum zur
über vor durch wird sind noch nur oder wenn kann mehr hat haben wir sie ich es so um le la les un une des du de et à au aux en est dans pour
sur par pas plus avec ce cette ces son sa ses qui que ne se il elle nous vous sont comme mais ou où el los las una unos del al y con por
para como más su sus lo no es esta este pero sin sobre entre hasta il lo gli uno della delle degli dei di da dal nel nella che non sono per
più anche come questo questa o os um uma do dos das na nos nas em ao não mais foi het een van op te voor met zijn aan niet ook naar uit om
bij och att som på är av för med till ett inte i`

	japanese = `発表 公開 開始 解説 紹介 決定 検討 対応 開催 発売 実施 導入 予定 可能 必要 理由 方法 結果 話題 今後 本当 自分 一部 今年 昨年 来年 今日 明日
昨日 今週 来週 先週 今月 来月 先月 今回 次回 前回 毎日 毎週 毎月 毎年 年内 以上 以下 以外 以降 以内 最新 最大 最高 最強 最初 最後 最近 最低 最終 比較 検証
完全 徹底 人気 注目 記事 情報 内容 場合 場所 時代 判明 発覚 登場 追加 更新 変更 終了 完了 達成 突破 記録 受付 募集 予約 販売 提供 配信 放送 掲載 投稿 報告
報道 指摘 批判 反応 影響 効果 原因 対策 課題 意味 価値 目的 目標 存在 関係 関連 一覧 特集 連載 続報 速報 悲報 朗報 緊急 独自 画像 動画 写真 保存版 初心者
初心者向 上級者 超入門 入門 基礎 基本 実践 応用 活用 活用術 使用 利用 作成 作業 開発中 準備中 体験 感想 体験談 感想文 経験 紹介文 準備 挑戦 成功 失敗
確認 実現 拡大 縮小 増加 減少 上昇 下落 上昇中 急増 急落 急騰 過去 現在 将来 未来 最多 最少 全国 各地 国内 海外 世界 世界初 日本初 史上 史上初 初公開 新登場 新発売
本日 当日 翌日 前日 深夜 早朝 午前 午後 夕方 時間 期間 期限 年間 月間 週間 日間 全員 全部 全体 全般 多数 複数 少数 大量 大幅 大型 小型 新型 新作 新着 新規 無料
有料 限定 特別 重要 簡単 便利 快適 快挙 安全 危険 正式 公式 本格 本格的 一般 普通 自動 手動 同時 直接 間接 絶対 実際 実は 意外 意外性 案内 お知らせ 告知 通知 改定
改正 改善 修正 訂正 廃止 中止 延期 再開 停止 閉鎖 閉店 開店 開業 開設 設置 設定 選択 判断 評価 議論 意見 考察 分析 調査 研究 技術者 担当者 関係者 利用者 参加者
参加 出場 出演 出品 受賞 優勝 敗退 勝利 引退 復帰 就任 辞任 退任 逮捕 死去 死亡 負傷 謝罪 会見 発言 主張 要請 要求 合意 協議 交渉 承認 可決 否決 成立 施行 違反
彼女 彼氏 自身 皆様 皆 我々 私達 何故 何度 何時 何回 何人 誰 大切 大変 大事 残念 素敵 綺麗 美味 最適 最適解 本音 正解 人生 毎朝 毎晩 今夜 今朝 昨夜 一言 一番 一度 一人 二人 三人
一つ 二つ 全て 非常 十分 程度 部分 状態 状況 様子 感じ 気持ち 気持 気分 話 件 点 物 者 所 事 方 人 時 中 上 下 前 後 今 何 私 僕 俺 君 彼 他 等 的 性 化 年 月 日 度 回 目 手 気 声
見 出 入 来 行 言 思 知 食 書 読 買 使 作 始 続 終 変 増 減 高 低 大 小 多 少 新 旧 良 悪 早 遅 長 短 強 弱 近 遠 全 各 約 第 初 再 最 超 向 版 用 別 順 式 型 系 感 力 編 回目 年度
人目 代目 日目 年目 取り組み 見通し 見直し 立ち上げ 引き上げ 引き下げ 受け入れ 呼び掛け 呼びかけ 振り返り 使い方 作り方 選び方 考え方 書き方 読み方 始め方 やり方 見方 食べ方
サービス ニュース ランキング まとめ ポイント メリット デメリット オススメ おすすめ コツ ワケ ヒント テクニック レビュー インタビュー スタート オープン リリース アップ ダウン アップデート
バージョン ページ サイト ブログ コメント コンテンツ タイプ ケース レベル シリーズ メーカー ユーザー メンバー スタッフ イベント キャンペーン プレゼント セール チェック テスト スゴイ
ヤバイ ダメ ムリ ホント マジ ネタ タイトル テーマ リスト トップ ベスト ワースト セット パターン ステップ アイデア アイディア アプローチ ベース メイン チャンス トラブル ミス プラス
マイナス ゼロ`

	// Counters and units, the long ones first.
	counters = `時間半 時間 か月 ヶ月 カ月 ヵ月 ケ月 カ国 ヶ国 か国 カ所 ヶ所 か所 年ぶり 年連続 年度 年間 年代 年生 年前 年後 年目 周年 週間 週目 日間 日目 日前 日後 日連続 月末 月号 回目 回戦 回連続
人目 代目 番目 位以内 試合 連勝 連敗 歳児 種類 品目 万円 億円 兆円 円台 円分 円高 円安 人分 人前 階建 平方メートル キロメートル センチ ミリ メートル キログラム キロ グラム トン リットル ドル
ユーロ ポンド ウォン パーセント ポイント ページ カロリー ボルト ワット ギガ メガ テラ インチ フィート 年 月 日 時 分 秒 円 人 件 個 本 台 位 回 歳 選 社 割 倍 点 度 代 目 週 階 章 巻 話 種
名 枚 杯 匹 頭 羽 冊 通 軒 戸 席 票 号 番 版 泊 食 品 曲 戦 勝 敗 打 球 階 棟 室 校 店 国 州 県 市 町 村 口 株 箱 袋 本目 か所目`
)

func setOf(lists ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, list := range lists {
			for _, w := range strings.Fields(list) {
				set[w] = true
			}
		}
		return set
	})
}

var (
	stopWords     = setOf(english, calendar, european)
	calendarWords = setOf(calendar)
	japaneseStops = setOf(japanese)
	japaneseUnits = strings.Fields(counters)
)

// isStopWord takes a word in lower case.
func isStopWord(w string) bool { return stopWords()[strings.ReplaceAll(w, "’", "'")] }

func isCalendarWord(w string) bool {
	return calendarWords()[strings.ToLower(strings.ReplaceAll(w, "’", "'"))]
}

func isJapaneseStop(w string) bool { return japaneseStops()[w] }
