import { Trans, useLingui } from "@lingui/react/macro";
import {
  ArrowDown,
  ArrowUp,
  ChevronLeft,
  Circle,
  CircleDot,
  ExternalLink,
  Star,
} from "lucide-react";
import { type RefObject, useEffect } from "react";
import { toApiError } from "@/data/api-error";
import { feedTitle } from "@/data/feeds";
import { useFlags } from "@/data/flags";
import { useItem } from "@/data/item";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { Feed, Item, ItemId, ItemSummary } from "@/data/types";
import { textLang } from "@/i18n/text-lang";
import { runCommand } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { useLate } from "@/ui/use-late";
import type { Actions } from "../actions";
import { useHeadingFocus } from "../heading-focus";
import { Bookmarks } from "../item-row";
import { ItemTime } from "../item-time";
import { ArticleBody } from "./article-body";
import { Enclosures } from "./enclosures";

export interface ArticleProps {
  route: ReaderRoute;
  id: ItemId;
  /** The row, when it is loaded: its heading shows at once. */
  summary: ItemSummary | undefined;
  feeds: ReadonlyMap<string, Feed>;
  previous: ItemSummary | undefined;
  next: ItemSummary | undefined;
  /** The list it stands in, for the top bar of phones. */
  place: { title: string; index: number; count: number; isAll: boolean };
  headingRef: RefObject<HTMLHeadingElement | null>;
  /** Whether the heading is to have the focus: so on phones, and after Enter. */
  wantsFocus: RefObject<boolean>;
  scrollRef: RefObject<HTMLDivElement | null>;
  actions: Actions;
}

export function ArticlePane(props: ArticleProps) {
  const { id, route, previous, next, place } = props;
  const { t } = useLingui();
  const item = useItem(id);
  const known: ItemSummary | Item | undefined = item.data ?? props.summary;
  useHeadingFocus(props.headingRef, props.wantsFocus);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another item starts at its top
  useEffect(() => {
    if (props.scrollRef.current) props.scrollRef.current.scrollTop = 0;
  }, [id, props.scrollRef]);

  return (
    <section className="article-pane" aria-label={t`Item`}>
      <header className="pane-head">
        <IconButton
          label={t`Back to the list`}
          command="back"
          icon={<ChevronLeft />}
          onClick={() => runCommand("back")}
        />
        <span className="flex min-w-0 flex-1 gap-2">
          <span className="phone-only min-w-0 truncate text-ink2">{place.title}</span>
          {place.index >= 0 && (
            <span className="phone-only text-ink3 tabular-nums">
              {place.index + 1}/{place.count}
              {place.isAll ? "" : "+"}
            </span>
          )}
        </span>
        {known && <Tools item={known} actions={props.actions} />}
        <IconButton
          label={t`Previous item`}
          command="item.previous"
          icon={<ArrowUp />}
          disabled={!previous}
          className="wide-only"
          onClick={() => runCommand("item.previous")}
        />
        <IconButton
          label={t`Next item`}
          command="item.next"
          icon={<ArrowDown />}
          disabled={!next}
          className="wide-only"
          onClick={() => runCommand("item.next")}
        />
      </header>
      <div ref={props.scrollRef} className="scroll">
        {known ? (
          <Content {...props} item={known} query={item} />
        ) : item.isError ? (
          <Gone {...props} error={item.error} retry={() => void item.refetch()} />
        ) : (
          <BodySkeleton />
        )}
        {/* After the body: what stands below it must not be pushed down by it. */}
        {known && !item.isPending && (
          <nav className="article article-nav pt-0" aria-label={t`Neighbours`}>
            <div className="article-end">
              {previous && (
                <Link
                  className="btn"
                  href={readerPath(route.stream, route.filter, previous.id, route)}
                >
                  <ArrowUp size={16} aria-hidden="true" />
                  <span>{previous.title || <Trans>Previous item</Trans>}</span>
                </Link>
              )}
              {next && (
                <Link className="btn" href={readerPath(route.stream, route.filter, next.id, route)}>
                  <ArrowDown size={16} aria-hidden="true" />
                  <span>{next.title || <Trans>Next item</Trans>}</span>
                </Link>
              )}
            </div>
          </nav>
        )}
      </div>
    </section>
  );
}

function Tools({ item, actions }: { item: ItemSummary; actions: Actions }) {
  const { t } = useLingui();
  const { isRead, isStarred } = useFlags(item);
  return (
    <span className="wide-only contents-row">
      <IconButton
        label={t`Star`}
        command="item.star"
        aria-pressed={isStarred}
        data-on={isStarred ? "star" : undefined}
        icon={<Star fill={isStarred ? "currentColor" : "none"} />}
        onClick={() => actions.toggleStar(item)}
      />
      <IconButton
        label={isRead ? t`Mark as unread` : t`Mark as read`}
        command="item.read"
        icon={isRead ? <Circle /> : <CircleDot />}
        onClick={() => actions.toggleRead(item)}
      />
      {item.link && (
        <a
          className="icon-btn"
          href={item.link}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t`Open the original`}
          title={`${t`Open the original`} (v)`}
        >
          <ExternalLink aria-hidden="true" />
        </a>
      )}
    </span>
  );
}

interface ContentProps extends ArticleProps {
  item: ItemSummary | Item;
  query: ReturnType<typeof useItem>;
}

function Content({ item, query, feeds, headingRef }: ContentProps) {
  const { t, i18n } = useLingui();
  const feed = feeds.get(item.feedId);
  const full = query.data;
  const title = item.title || t`Without a title`;
  const lang = textLang(item.lang, `${item.title}${item.snippet}`, i18n.locale);
  const late = useLate(query.isPending);
  return (
    <article className="article pb-0" lang={lang}>
      <h1 ref={headingRef} tabIndex={-1} className="title">
        {item.link ? (
          <a href={item.link} target="_blank" rel="noopener noreferrer">
            {title}
          </a>
        ) : (
          title
        )}
      </h1>
      <div className="meta" lang={i18n.locale}>
        {feed && <Link href={readerPath({ kind: "feed", id: feed.id })}>{feedTitle(feed)}</Link>}
        {item.author && <span>{item.author}</span>}
        <ItemTime item={item} />
        {item.updatedAt && item.updatedAt !== item.publishedAt && (
          <span>
            <Trans>updated</Trans>{" "}
            <ItemTime item={{ publishedAt: item.updatedAt, isDateEstimated: false }} />
          </span>
        )}
        <Bookmarks count={item.bookmarkCount} />
      </div>
      <Enclosures list={item.enclosures} />
      {full && <ArticleBody html={full.contentHtml} lang={lang} />}
      {full && <StateNote item={full} retry={() => void query.refetch()} />}
      {!full && query.isError && (
        <div lang={i18n.locale}>
          <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
        </div>
      )}
      {late && <BodyLines />}
      {item.categories.length > 0 && (
        <ul className="tags" aria-label={t`Tags`}>
          {item.categories.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
    </article>
  );
}

/** When the body is not the whole text, why, and where the whole text is. */
function StateNote({ item, retry }: { item: Item; retry: () => void }) {
  const { i18n } = useLingui();
  if (item.contentState === "full") return null;
  return (
    <div className="mt-6 text-sm" lang={i18n.locale}>
      {!item.contentHtml && item.snippet && item.contentState !== "summary" && (
        <p className="mb-4 text-base" lang={textLang(item.lang, item.snippet, i18n.locale)}>
          {item.snippet}
        </p>
      )}
      <Note kind="warn">
        {item.contentState === "summary" && (
          <Trans>This feed sends only a summary. The whole text is at the original.</Trans>
        )}
        {item.contentState === "notKept" && (
          <Trans>
            The text of this item is no longer kept here. The original may still have it.
          </Trans>
        )}
        {item.contentState === "failed" && (
          <Trans>The text could not be read out of the feed.</Trans>
        )}
        <span className="mt-2 flex flex-wrap gap-2">
          {item.link && (
            <a className="btn" href={item.link} target="_blank" rel="noopener noreferrer">
              <ExternalLink size={16} aria-hidden="true" />
              <Trans>Open the original</Trans>
            </a>
          )}
          {item.contentState === "failed" && (
            <button type="button" className="btn" onClick={retry}>
              <Trans>Try again</Trans>
            </button>
          )}
        </span>
      </Note>
    </div>
  );
}

function Gone({
  route,
  error,
  retry,
  headingRef,
}: ArticleProps & { error: unknown; retry: () => void }) {
  const missing = toApiError(error).status === 404;
  return (
    <div className="state">
      <h1 ref={headingRef} tabIndex={-1} className="title">
        {missing ? (
          <Trans>This item is no longer here</Trans>
        ) : (
          <Trans>This item could not be loaded</Trans>
        )}
      </h1>
      {!missing && <ErrorNote error={error} onRetry={retry} />}
      <Link className="btn" href={readerPath(route.stream, route.filter, null, route)}>
        <Trans>Back to the list</Trans>
      </Link>
    </div>
  );
}

function BodyLines() {
  return (
    <div className="flex flex-col gap-3" aria-hidden="true">
      <div className="skeleton h-4 w-full" />
      <div className="skeleton h-4 w-11/12" />
      <div className="skeleton h-4 w-2/3" />
    </div>
  );
}

function BodySkeleton() {
  const late = useLate(true);
  if (!late) return null;
  return (
    <div className="article">
      <div className="skeleton mb-6 h-8 w-3/4" aria-hidden="true" />
      <BodyLines />
    </div>
  );
}
