import { msg } from "@lingui/core/macro";
import type { Pack } from "./pack";

export const techJa: Pack = {
  id: "tech-ja",
  title: msg`Technology in Japanese`,
  lang: "ja",
  feeds: [
    { title: "Publickey", url: "https://www.publickey1.jp/atom.xml" },
    { title: "はてなブックマーク テクノロジー", url: "https://b.hatena.ne.jp/hotentry/it.rss" },
    { title: "ITmedia NEWS", url: "https://rss.itmedia.co.jp/rss/2.0/news_bursts.xml" },
    { title: "＠IT", url: "https://rss.itmedia.co.jp/rss/2.0/ait.xml" },
    { title: "GIGAZINE", url: "https://gigazine.net/news/rss_2.0/" },
    { title: "窓の杜", url: "https://forest.watch.impress.co.jp/data/rss/1.0/wf/feed.rdf" },
    { title: "PC Watch", url: "https://pc.watch.impress.co.jp/data/rss/1.0/pcw/feed.rdf" },
    {
      title: "INTERNET Watch",
      url: "https://internet.watch.impress.co.jp/data/rss/1.0/iw/feed.rdf",
    },
    { title: "Zenn トレンド", url: "https://zenn.dev/feed" },
    { title: "Qiita 人気の記事", url: "https://qiita.com/popular-items/feed.atom" },
    { title: "DevelopersIO", url: "https://dev.classmethod.jp/feed/" },
    { title: "CodeZine", url: "https://codezine.jp/rss/new/20/index.xml" },
    { title: "クックパッド開発者ブログ", url: "https://techlife.cookpad.com/feed" },
    { title: "Hatena Developer Blog", url: "https://developer.hatenastaff.com/feed" },
    { title: "ZOZO TECH BLOG", url: "https://techblog.zozo.com/feed" },
    { title: "LINEヤフー Tech Blog", url: "https://techblog.lycorp.co.jp/ja/feed/index.xml" },
    { title: "JPCERT/CC", url: "https://www.jpcert.or.jp/rss/jpcert.rdf" },
  ],
};
