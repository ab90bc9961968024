import { msg } from "@lingui/core/macro";
import type { Pack } from "./pack";

export const techEn: Pack = {
  id: "tech-en",
  title: msg`English tech`,
  lang: "en",
  feeds: [
    { title: "Hacker News", url: "https://news.ycombinator.com/rss" },
    { title: "Lobsters", url: "https://lobste.rs/rss" },
    { title: "Ars Technica", url: "https://feeds.arstechnica.com/arstechnica/index" },
    { title: "The Verge", url: "https://www.theverge.com/rss/index.xml" },
    { title: "The Register", url: "https://www.theregister.com/headlines.atom" },
    { title: "LWN.net", url: "https://lwn.net/headlines/rss" },
    { title: "IEEE Spectrum", url: "https://spectrum.ieee.org/feeds/feed.rss" },
    { title: "The GitHub Blog", url: "https://github.blog/feed/" },
    { title: "The Cloudflare Blog", url: "https://blog.cloudflare.com/rss/" },
    { title: "AWS News Blog", url: "https://aws.amazon.com/blogs/aws/feed/" },
    { title: "The Go Blog", url: "https://go.dev/blog/feed.atom" },
    { title: "Rust Blog", url: "https://blog.rust-lang.org/feed.xml" },
    { title: "WebKit", url: "https://webkit.org/feed/atom/" },
    { title: "Mozilla Hacks", url: "https://hacks.mozilla.org/feed/" },
    { title: "Simon Willison", url: "https://simonwillison.net/atom/everything/" },
    { title: "Julia Evans", url: "https://jvns.ca/atom.xml" },
    { title: "Martin Fowler", url: "https://martinfowler.com/feed.atom" },
    { title: "Schneier on Security", url: "https://www.schneier.com/feed/atom/" },
    { title: "Krebs on Security", url: "https://krebsonsecurity.com/feed/" },
    { title: "Daring Fireball", url: "https://daringfireball.net/feeds/main" },
    { title: "xkcd", url: "https://xkcd.com/atom.xml" },
  ],
};
