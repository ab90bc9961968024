import { useLingui } from "@lingui/react/macro";
import { ChevronLeft } from "lucide-react";
import { lazy, Suspense, useEffect } from "react";
import { textLang } from "@/i18n/text-lang";
import { runCommand } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { useReadingStyle } from "@/ui/reading-style";
import type { ArticleProps } from "./article/article-pane";
import { useHeadingFocus } from "./heading-focus";

// The list stands without it; a deep link asks for it at once.
const load = () => import("./article/article-pane");
let ArticlePane = make();

function make() {
  return lazy(async () => {
    try {
      return { default: (await load()).ArticlePane };
    } catch (cause) {
      // The next one to need it asks again.
      ArticlePane = make();
      throw cause;
    }
  });
}

/** Asks for the article's code when the first list is there and the browser has nothing to do. */
export function useArticleSoon(isListed: boolean): void {
  useEffect(() => {
    if (isListed) setTimeout(() => void load().catch(() => undefined), 200);
  }, [isListed]);
}

export function ArticlePlace(props: ArticleProps) {
  return (
    <Suspense fallback={<ArticleSkeleton {...props} />}>
      <ArticlePane {...props} />
    </Suspense>
  );
}

/** The heading as the row knows it, where the article will have it. */
function ArticleSkeleton({ summary, headingRef, wantsFocus }: ArticleProps) {
  const { t, i18n } = useLingui();
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
          <article className="article" lang={textLang(summary.lang, summary.title, i18n.locale)}>
            <h1 ref={headingRef} tabIndex={-1} className="title">
              {summary.title}
            </h1>
          </article>
        )}
      </div>
    </section>
  );
}
