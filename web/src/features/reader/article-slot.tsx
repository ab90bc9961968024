import { useLingui } from "@lingui/react/macro";
import { useEffect } from "react";
import { feedTitle } from "@/data/feeds";
import { headingName } from "@/i18n/item-name";
import { textLang } from "@/i18n/text-lang";
import { runCommand } from "@/keys/use-command";
import { FeedIcon } from "@/ui/feed-icon";
import { BackIcon } from "@/ui/first-icons";
import { IconButton } from "@/ui/icon-button";
import { late } from "@/ui/late";
import { useReadingStyle } from "@/ui/reading-style";
import type { ArticleProps } from "./article/article-pane";
import { useHeadingFocus } from "./heading-focus";

// Loaded after the list; index.html preloads it for a deep link.
const pane = late(() => import("./article/article-pane").then((module) => module.ArticlePane));
export const preloadArticle = pane.preload;

/** Loads the article pane after the first list. */
export function usePreloadArticle(isListed: boolean): void {
  useEffect(() => {
    if (isListed) setTimeout(() => void pane.preload().catch(() => undefined), 200);
  }, [isListed]);
}

export function ArticleSlot(props: ArticleProps) {
  const ArticlePane = pane.use();
  return ArticlePane ? <ArticlePane {...props} /> : <ArticleSkeleton {...props} />;
}

/** The heading from the row, where the article will have it. */
function ArticleSkeleton({ summary, feeds, headingRef, wantsFocus }: ArticleProps) {
  const { t, i18n } = useLingui();
  const feed = summary && feeds.get(summary.feedId);
  const name = feed ? feedTitle(feed) : (summary?.feedTitle ?? "");
  useHeadingFocus(headingRef, wantsFocus);
  return (
    <section
      className="article-pane"
      aria-label={t`Article`}
      aria-busy="true"
      {...useReadingStyle()}
    >
      <header className="pane-head">
        <IconButton
          label={t`Back to list`}
          command="back"
          icon={<BackIcon />}
          onClick={() => runCommand("back")}
        />
      </header>
      <div className="scroll">
        {summary && (
          <article
            className="article"
            lang={textLang(summary.lang, `${summary.title}${summary.snippet}`, i18n.locale)}
          >
            <p className="meta byline" lang={i18n.locale}>
              <FeedIcon url={feed?.iconUrl} name={name} />
              <span dir="auto">{name}</span>
            </p>
            <h1
              ref={headingRef}
              tabIndex={-1}
              className="title"
              data-untitled={!summary.title || undefined}
              dir="auto"
            >
              {headingName(summary, name)}
            </h1>
          </article>
        )}
      </div>
    </section>
  );
}
