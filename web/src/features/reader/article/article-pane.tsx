import { useLingui } from "@lingui/react/macro";
import { ChevronLeft } from "lucide-react";
import { lazy, type RefObject, Suspense, useEffect, useState } from "react";
import { useItem } from "@/data/item";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { setSettings, useSetting } from "@/data/settings";
import type { Feed, ItemId, ItemSummary } from "@/data/types";
import { showItem } from "@/data/use-route";
import { KeysWait } from "@/keys/keys-wait";
import { runCommand, useCommands } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { useReadingStyle } from "@/ui/reading-style";
import type { Actions } from "../actions";
import { useHeadingFocus } from "../heading-focus";
import { useAlone } from "./alone";
import { ArticleContent } from "./article-content";
import { WholeSkeleton } from "./body-skeleton";
import { GestureMark } from "./gesture-mark";
import { Gone } from "./gone";
import { hasImages } from "./images";
import { useKeptPlace } from "./kept-place";
import { loadFailure } from "./load-failure";
import { Neighbours } from "./neighbours";
import { say } from "./say";
import { plainType, stepText } from "./text-size";
import { Tools } from "./tools";
import { useFullText } from "./use-full-text";
import { useGestures } from "./use-gestures";
import "./article.css";

const LabelsDialog = lazy(() =>
  import("./labels-dialog").then((m) => ({ default: m.LabelsDialog })),
);

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

/** One item; another is another pane (reader-screen.tsx keys it), so nothing here outlives the item. */
export function ArticlePane(props: ArticleProps) {
  const { id, route, previous, next, place, headingRef, scrollRef } = props;
  const { t } = useLingui();
  const query = useItem(id);
  const known = query.data ?? props.summary;
  const failure = loadFailure(query);
  const text = useFullText(id, query.data);
  const ownImages = useSetting("showImages");
  const [imagesHere, setImagesHere] = useState<boolean | null>(null);
  const showImages = imagesHere ?? ownImages;
  const [isLabelling, setLabelling] = useState(false);
  const style = useReadingStyle();
  const gesture = useGestures(scrollRef, !!next);
  useAlone(headingRef, props.wantsFocus);
  useHeadingFocus(headingRef, props.wantsFocus);
  useKeptPlace(scrollRef, `${Object.values(style)} ${showImages}`);

  // What is chosen for all articles holds for this one too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the setting changes
  useEffect(() => setImagesHere(null), [ownImages]);

  const toTop = () => {
    if (scrollRef.current) scrollRef.current.scrollTop = 0;
    headingRef.current?.focus({ preventScroll: true });
  };
  // The link that was followed goes with this item: the heading of the other takes the focus.
  const openNeighbour = (other: ItemId) => {
    props.wantsFocus.current = true;
    const path = (one: ItemId | null) => readerPath(route.stream, route.filter, one, route);
    showItem(path(other), path(null), true);
  };
  const stepBy = (by: 1 | -1) => () => {
    const step = stepText(by);
    if (step) step.catch(say);
  };
  useCommands({
    "article.images": () => setImagesHere(!showImages),
    "text.larger": stepBy(1),
    "text.smaller": stepBy(-1),
    "text.reset": () => void setSettings({ textStep: plainType.textStep }).catch(say),
  });

  const pageHtml = text.page?.state === "ok" ? text.page.contentHtml : query.data?.contentHtml;
  return (
    <section className="article-pane" aria-label={t`Item`} {...style}>
      <header className="pane-head">
        <IconButton
          label={t`Back to the list`}
          command="back"
          icon={<ChevronLeft />}
          onClick={() => runCommand("back")}
        />
        <span className="flex min-w-0 flex-1 gap-2">
          <span className="phone-only min-w-0 truncate text-ink2" dir="auto">
            {place.title}
          </span>
          {place.index >= 0 && (
            <span className="phone-only text-ink3 tabular-nums">
              {place.index + 1}/{place.count}
              {place.isAll ? "" : "+"}
            </span>
          )}
        </span>
        {known && (
          <Tools
            item={known}
            actions={props.actions}
            text={text}
            hasImages={hasImages(pageHtml ?? "")}
            imagesShown={showImages}
            hasPrevious={!!previous}
            hasNext={!!next}
            onLabels={() => setLabelling(true)}
          />
        )}
      </header>
      <div ref={scrollRef} className="scroll">
        {known ? (
          <ArticleContent
            item={known}
            query={query}
            feed={props.feeds.get(known.feedId)}
            text={text}
            showImages={showImages}
            headingRef={headingRef}
            onTop={toTop}
          />
        ) : failure !== null ? (
          <Gone
            route={route}
            error={failure}
            onRetry={() => void query.refetch()}
            headingRef={headingRef}
          />
        ) : (
          <WholeSkeleton />
        )}
        {/* After the body: what stands below it must not be pushed down by it. */}
        {known && !query.isPending && (
          <Neighbours route={route} previous={previous} next={next} onOpen={openNeighbour} />
        )}
      </div>
      <GestureMark gesture={gesture} />
      {isLabelling && query.data && (
        <Suspense fallback={<KeysWait onCancel={() => setLabelling(false)} />}>
          <LabelsDialog item={query.data} onClose={() => setLabelling(false)} />
        </Suspense>
      )}
    </section>
  );
}
