import { useLingui } from "@lingui/react/macro";
import { ChevronLeft } from "lucide-react";
import { type ComponentType, useEffect, useState } from "react";
import { feedTitle } from "@/data/feeds";
import { headingName } from "@/i18n/item-name";
import { textLang } from "@/i18n/text-lang";
import { runCommand } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { useReadingStyle } from "@/ui/reading-style";
import type { ArticleProps } from "./article/article-pane";
import { useHeadingFocus } from "./heading-focus";

// The list stands without it; a deep link asks for it at once (index.html). It comes by a state and not by Suspense,
// which holds back what follows a fallback for 300 ms.
let ArticlePane: ComponentType<ArticleProps> | null = null;
const load = async () => {
  ({ ArticlePane } = await import("./article/article-pane"));
};

/** Asks for the article's code when the first list is there and the browser has nothing to do. */
export function useArticleSoon(isListed: boolean): void {
  useEffect(() => {
    if (isListed) setTimeout(() => void load().catch(() => undefined), 200);
  }, [isListed]);
}

export function ArticlePlace(props: ArticleProps) {
  const [state, setState] = useState<{ failure?: unknown }>({});
  useEffect(() => {
    if (ArticlePane) return;
    let isHere = true;
    load().then(
      () => isHere && setState({}),
      (failure) => isHere && setState({ failure }),
    );
    return () => {
      isHere = false;
    };
  }, []);
  // To the boundary around it; who tries again asks anew.
  if ("failure" in state) throw state.failure;
  return ArticlePane ? <ArticlePane {...props} /> : <ArticleSkeleton {...props} />;
}

/** The heading as the row knows it, where the article will have it. */
function ArticleSkeleton({ summary, feeds, headingRef, wantsFocus }: ArticleProps) {
  const { t, i18n } = useLingui();
  const feed = summary && feeds.get(summary.feedId);
  useHeadingFocus(headingRef, wantsFocus);
  return (
    <section className="article-pane" aria-label={t`Item`} aria-busy="true" {...useReadingStyle()}>
      <header className="pane-head">
        <IconButton
          label={t`Back to the list`}
          command="back"
          icon={<ChevronLeft />}
          onClick={() => runCommand("back")}
        />
      </header>
      <div className="scroll">
        {summary && (
          <article
            className="article"
            lang={textLang(summary.lang, `${summary.title}${summary.snippet}`, i18n.locale)}
          >
            <h1
              ref={headingRef}
              tabIndex={-1}
              className="title"
              data-untitled={!summary.title || undefined}
              dir="auto"
            >
              {headingName(summary, feed ? feedTitle(feed) : summary.feedTitle)}
            </h1>
          </article>
        )}
      </div>
    </section>
  );
}
