import { useLingui } from "@lingui/react/macro";
import { ChevronLeft } from "lucide-react";
import { type RefObject, Suspense, useEffect, useState } from "react";
import { about } from "@/data/about";
import { useItem } from "@/data/item";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { setSettings, useSetting } from "@/data/settings";
import { useStore } from "@/data/store";
import type { Feed, ItemId, ItemSummary } from "@/data/types";
import { showItem } from "@/data/use-route";
import { HoldKeys } from "@/keys/hold-keys";
import { runCommand, useCommands } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { useReadingStyle } from "@/ui/reading-style";
import { showError } from "@/ui/show-error";
import type { Actions } from "../actions";
import { moveBars, setBars } from "../bars";
import { useHeadingFocus } from "../heading-focus";
import { ArticleContent } from "./article-content";
import { WholeSkeleton } from "./body-skeleton";
import { useFocusMode } from "./focus-mode";
import { GestureMark } from "./gesture-mark";
import { hasImages } from "./images";
import { ItemUnavailable } from "./item-unavailable";
import { loadFailure } from "./load-failure";
import { Neighbours } from "./neighbours";
import { ContinuedNote, ReadLine, TimeLeft } from "./place-marks";
import { minutesOf } from "./reading-time";
import { defaultText, stepText } from "./text-size";
import { Tools } from "./tools";
import { useFullText } from "./use-full-text";
import { useGestures } from "./use-gestures";
import { useScrollAnchor } from "./use-scroll-anchor";
import { useStopped } from "./use-stopped";
import "./article.css";
import "./print.css";
import { lazyNamed } from "@/ui/lazy-named";

const LabelsDialog = lazyNamed("LabelsDialog", () => import("./labels-dialog"));

export interface ArticleProps {
  route: ReaderRoute;
  id: ItemId;
  /** The row, when it is loaded: its heading is shown at once. */
  summary: ItemSummary | undefined;
  feeds: ReadonlyMap<string, Feed>;
  previous: ItemSummary | undefined;
  next: ItemSummary | undefined;
  /** Its list and position there, for the top bar of phones. */
  place: { title: string; index: number; count: number; isAll: boolean };
  headingRef: RefObject<HTMLHeadingElement | null>;
  /** Whether to focus the heading: on phones, and after Enter. */
  wantsFocus: RefObject<boolean>;
  scrollRef: RefObject<HTMLDivElement | null>;
  actions: Actions;
}

/** One item; the key in reader-screen.tsx mounts another pane for another item. */
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
  const isAbout = useStore(about, (one) => one === id);
  const style = useReadingStyle();
  const gesture = useGestures(scrollRef, !!next);
  useFocusMode(headingRef, props.wantsFocus);
  useHeadingFocus(headingRef, props.wantsFocus);
  useScrollAnchor(scrollRef, `${Object.values(style)} ${showImages}`);

  // A choice for all articles applies to this one too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the setting changes
  useEffect(() => setImagesHere(null), [ownImages]);

  useEffect(() => {
    const box = scrollRef.current;
    if (!box) return;
    let edge = 0;
    // Not at once: the text was just inserted, and would be laid out twice.
    const frame = requestAnimationFrame(() => {
      edge = box.scrollTop;
    });
    const onScroll = () => {
      edge = moveBars(box, edge);
    };
    setBars("there");
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      setBars("there");
      box.removeEventListener("scroll", onScroll);
    };
  }, [scrollRef]);

  const toTop = () => {
    if (scrollRef.current) scrollRef.current.scrollTop = 0;
    headingRef.current?.focus({ preventScroll: true });
  };
  // The link is removed with this item: the heading of the other one gets the focus.
  const openNeighbour = (other: ItemId) => {
    props.wantsFocus.current = true;
    const path = (one: ItemId | null) => readerPath(route.stream, route.filter, one, route);
    showItem(path(other), path(null), true);
  };
  const stepBy = (by: 1 | -1) => () => {
    const step = stepText(by);
    if (step) step.catch(showError);
  };
  useCommands({
    "article.images": () => setImagesHere(!showImages),
    "article.about": () => about.set(isAbout ? null : id),
    "text.larger": stepBy(1),
    "text.smaller": stepBy(-1),
    "text.reset": () => void setSettings({ textStep: defaultText.textStep }).catch(showError),
  });

  const stopped = useStopped(id, scrollRef, !!query.data && !text.isLoading);
  const page = text.page?.state === "ok" ? text.page : null;
  const pageHtml = (page ?? query.data)?.contentHtml;
  const minutes = minutesOf(query.data, page, page?.lang || (known?.lang ?? ""));
  return (
    <section className="article-pane" aria-label={t`Article`} {...style}>
      <ReadLine id={id} />
      <header className="pane-head">
        <IconButton
          label={t`Back to list`}
          command="back"
          className="rarely"
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
          <TimeLeft id={id} minutes={minutes} />
        </span>
        {known && (
          <Tools
            item={known}
            actions={props.actions}
            text={text}
            hasImages={hasImages(pageHtml ?? "")}
            imagesShown={showImages}
            isAbout={isAbout}
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
            onAboutClosed={isAbout ? () => about.set(null) : null}
          />
        ) : failure !== null ? (
          <ItemUnavailable
            route={route}
            error={failure}
            onRetry={() => void query.refetch()}
            headingRef={headingRef}
          />
        ) : (
          <WholeSkeleton />
        )}
        {/* After the text is loaded, so that it does not move. */}
        {known && !query.isPending && (
          <Neighbours route={route} previous={previous} next={next} onOpen={openNeighbour} />
        )}
      </div>
      {stopped.isContinued && <ContinuedNote onTop={stopped.toTop} />}
      <GestureMark gesture={gesture} />
      {isLabelling && query.data && (
        <Suspense fallback={<HoldKeys onCancel={() => setLabelling(false)} />}>
          <LabelsDialog item={query.data} onClose={() => setLabelling(false)} />
        </Suspense>
      )}
    </section>
  );
}
