import { msg } from "@lingui/core/macro";
import type { Pack } from "./pack";

export const newsJa: Pack = {
  id: "news-ja",
  title: msg`News in Japanese`,
  lang: "ja",
  feeds: [
    { title: "NHK 主要ニュース", url: "https://news.web.nhk/n-data/conf/na/rss/cat0.xml" },
    { title: "NHK 科学・医療", url: "https://news.web.nhk/n-data/conf/na/rss/cat3.xml" },
    { title: "朝日新聞デジタル", url: "https://www.asahi.com/rss/asahi/newsheadlines.rdf" },
    { title: "毎日新聞 ニュース速報", url: "https://mainichi.jp/rss/etc/mainichi-flash.rss" },
    { title: "Yahoo!ニュース 主要", url: "https://news.yahoo.co.jp/rss/topics/top-picks.xml" },
    { title: "BBCニュース 日本語", url: "https://feeds.bbci.co.uk/japanese/rss.xml" },
    { title: "ニューズウィーク日本版", url: "https://www.newsweekjapan.jp/story/rss.xml" },
    { title: "東洋経済オンライン", url: "https://toyokeizai.net/list/feed/rss" },
    { title: "はてなブックマーク 総合", url: "https://b.hatena.ne.jp/hotentry.rss" },
    { title: "はてなブックマーク 暮らし", url: "https://b.hatena.ne.jp/hotentry/life.rss" },
    { title: "デイリーポータルZ", url: "https://dailyportalz.jp/feed/headline" },
    { title: "コミックナタリー", url: "https://natalie.mu/comic/feed/news" },
    { title: "音楽ナタリー", url: "https://natalie.mu/music/feed/news" },
  ],
};
