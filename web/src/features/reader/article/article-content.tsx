import { Trans, useLingui } from "@lingui/react/macro";
import { Image } from "lucide-react";
import { type RefObject, Suspense, useMemo } from "react";
import { feedTitle } from "@/data/feeds";
import type { useItem } from "@/data/item";
import type { Feed, Item, ItemSummary } from "@/data/types";
import { textLang } from "@/i18n/text-lang";
import { runCommand } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { withKey } from "@/ui/icon-button";
import { lazyNamed } from "@/ui/lazy-named";
import { useDelayed } from "@/ui/use-delayed";
import { ArticleBody } from "./article-body";
import { isPicture } from "./attached-pictures";
import { BodyLines } from "./body-skeleton";
import { Enclosures } from "./enclosures";
import { FullTextBar } from "./full-text-bar";
import { Heading } from "./heading";
import { hasImages } from "./images";
import { loadFailure } from "./load-failure";
import { OfferArticle } from "./offer-article";
import { hasEpisode, playAt } from "./playing";
import { minutesOf } from "./reading-time";
import { StateNote } from "./state-note";
import type { FullTextView } from "./use-full-text";

const AssistPanel = lazyNamed("AssistPanel", () => import("./assist-panel"));

interface Props {
  item: ItemSummary | Item;
  query: ReturnType<typeof useItem>;
  feed: Feed | undefined;
  text: FullTextView;
  showImages: boolean;
  headingRef: RefObject<HTMLHeadingElement | null>;
  /** Scrolls to the heading, where another text begins. */
  onTop: () => void;
  /** Closes what the article is about; null while that is not shown. */
  onAboutClosed?: (() => void) | null;
}

export function ArticleContent({ item, query, feed, text, showImages, ...rest }: Props) {
  const { t, i18n } = useLingui();
  const lang = textLang(item.lang, `${item.title}${item.snippet}`, i18n.locale);
  const full = query.data;
  const page = text.page?.state === "ok" ? text.page : null;
  const html = page?.contentHtml ?? full?.contentHtml ?? "";
  const { enclosures } = item;
  const pictures = useMemo(() => enclosures.filter(isPicture).map(({ url }) => url), [enclosures]);
  const bodyLang = page?.lang ? textLang(page.lang, "", lang) : lang;
  const failure = loadFailure(query);
  const isSlow = useDelayed(query.isPending && !failure);
  const isPictured = item.offer !== null && showImages && !!item.imageUrl;
  const minutes = minutesOf(full, page, bodyLang);

  const choose = (isWanted: boolean) => {
    text.choose(isWanted);
    rest.onTop();
  };
  return (
    <article
      className="article pb-0"
      lang={lang}
      data-offer={item.offer ? (isPictured ? "picture" : "plain") : undefined}
    >
      {isPictured && (
        <img
          className="offer-picture"
          src={item.imageUrl ?? ""}
          alt=""
          referrerPolicy="no-referrer"
          decoding="async"
        />
      )}
      <Heading item={item} feed={feed} headingRef={rest.headingRef} minutes={minutes} />
      {item.link && <p className="print-only print-address">{item.link}</p>}
      <Enclosures item={item} from={feed ? feedTitle(feed) : item.feedTitle} />
      {full && (
        <FullTextBar text={text} item={item} lang={i18n.locale} onBack={() => choose(false)} />
      )}
      {full && rest.onAboutClosed && !item.offer && (
        <Suspense fallback={null}>
          <AssistPanel
            key={page ? "page" : "feed"}
            id={item.id}
            fullText={page !== null}
            lang={bodyLang}
            onClose={rest.onAboutClosed}
          />
        </Suspense>
      )}
      {full && !showImages && (hasImages(html) || pictures.length > 0) && (
        <p className="images-off" lang={i18n.locale}>
          <Trans>Images are hidden.</Trans>
          <button
            type="button"
            className="btn"
            title={withKey(t`Show images`, "article.images")}
            onClick={() => runCommand("article.images")}
          >
            <Image size={16} />
            <Trans>Show images</Trans>
          </button>
        </p>
      )}
      {item.offer && <OfferArticle item={item} offer={item.offer} lang={i18n.locale} />}
      {full && (html || pictures.length > 0) && !item.offer && (
        <ArticleBody
          html={html}
          pictures={pictures}
          lang={bodyLang}
          showImages={showImages}
          onTime={hasEpisode(item) ? (seconds) => playAt(item.id, seconds) : undefined}
        />
      )}
      {full && !page && !item.offer && (
        <StateNote
          item={full}
          isRequested={text.isWanted}
          onRetry={() => void query.refetch()}
          onFullText={() => choose(true)}
        />
      )}
      {failure !== null && (
        <div className="failure" lang={i18n.locale}>
          {item.snippet && (
            <p className="prose" dir="auto" lang={lang}>
              {item.snippet}
            </p>
          )}
          <ErrorNote error={failure} onRetry={() => void query.refetch()} />
        </div>
      )}
      {isSlow && <BodyLines />}
      {!query.isPending && !item.offer && item.categories.length > 0 && (
        <ul className="chips tags" aria-label={t`Tags`}>
          {item.categories.map((name) => (
            <li key={name} dir="auto" lang={textLang(item.lang, name, i18n.locale)}>
              {name}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}
