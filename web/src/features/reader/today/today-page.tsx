import { useLingui } from "@lingui/react/macro";
import { Plus } from "lucide-react";
import {
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useFeeds } from "@/data/feeds";
import { flags } from "@/data/flags";
import { useText } from "@/data/preferences";
import { readerPath } from "@/data/routes";
import { type Section, sectionsOf } from "@/data/today";
import { useKnownTree } from "@/data/tree";
import type { Feed, ItemId, Today } from "@/data/types";
import { navigate } from "@/data/use-route";
import { number } from "@/i18n/numbers";
import { textLang } from "@/i18n/text-lang";
import { runCommand } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import type { Reader } from "../use-reader";
import { Hero } from "./hero";
import { Notes } from "./notes";
import { TodayRow } from "./today-row";
import "./today.css";

/** How many items of a section are shown before all are asked for. */
const few = 3;

/** Where the page was left, so that going back from an article leads there. */
let left: { loadedAt: number; top: number } | null = null;

interface Props {
  reader: Reader;
  /** What a new installation begins with. */
  firstSteps: ReactNode;
}

/** What is new since the last visit, and what else is worth a look: the page at "/". */
export function TodayPage({ reader, firstSteps }: Props) {
  const { items, isPhone, listHandle, feedsById } = reader;
  const page = reader.list.data?.pages[0];
  const feeds = useFeeds().data;
  const box = useRef<HTMLDivElement>(null);

  useImperativeHandle(listHandle, () => ({
    focusRow(index) {
      const id = items[index]?.id;
      const row = box.current?.querySelector<HTMLElement>(`[data-item="${id}"]`);
      row?.focus({ preventScroll: true });
      row?.scrollIntoView({ block: "nearest" });
    },
    reveal: () => undefined,
    showEnd: () => undefined,
    page: () => false,
    passScreen: () => [],
  }));

  const hasNoFeeds = feeds?.feeds.length === 0;
  useEffect(() => {
    // The list says what to do first.
    if (hasNoFeeds) navigate("/all", { replace: true });
  }, [hasNoFeeds]);

  const loadedAt = page?.loadedAt ?? 0;
  useLayoutEffect(() => {
    const scroller = box.current?.closest(".scroll");
    if (!scroller) return;
    if (left?.loadedAt === loadedAt) scroller.scrollTop = left.top;
    const keep = () => {
      left = { loadedAt, top: scroller.scrollTop };
    };
    scroller.addEventListener("scroll", keep, { passive: true });
    return () => scroller.removeEventListener("scroll", keep);
  }, [loadedAt]);

  const day = page?.day;
  const isThere = day !== undefined;
  const { listHeading } = reader;
  useEffect(() => {
    // The heading comes after the address. Going back from an article focuses its row.
    if (isThere && document.activeElement === document.body)
      listHeading.current?.focus({ preventScroll: true });
  }, [isThere, listHeading]);
  const seen = useSeen(day);
  const { t } = useLingui();
  // After the first run on this device, or with samples alone: first-steps.tsx knows whether something is left.
  const start = useText("start");
  const mayBeNew = start === null ? feeds?.feeds.every((feed) => feed.isSample) : start !== "";
  if (!day || hasNoFeeds) return null;
  return (
    <div className="today" ref={box}>
      {isPhone && (
        <header className="pane-head">
          <h1>{t`Today`}</h1>
          <IconButton
            label={t`Add a feed`}
            command="feed.add"
            icon={<Plus />}
            onClick={() => runCommand("feed.add")}
          />
        </header>
      )}
      {mayBeNew && firstSteps}
      <Hero
        day={day}
        seen={seen}
        unread={feeds?.totals.unread ?? 0}
        isPhone={isPhone}
        headingRef={reader.listHeading}
      />
      <Sections day={day} feeds={feedsById} onOpen={reader.openItem} onCursor={reader.setCursor} />
      <Notes day={day} feeds={feedsById} />
    </div>
  );
}

interface SectionsProps {
  day: Today;
  feeds: ReadonlyMap<string, Feed>;
  onOpen: (id: ItemId) => void;
  onCursor?: ((id: ItemId) => void) | undefined;
}

/** What is on the page: new items by folder, and what else is worth a look. */
export function Sections({ day, ...rest }: SectionsProps) {
  return sectionsOf(day).map((section) => (
    <SectionOf
      key={section.kind === "folder" ? `folder ${section.id}` : section.kind}
      section={section}
      {...rest}
    />
  ));
}

/** How many of the new items are read: as the server counted, and those of the page that were read since. */
function useSeen(day: Today | undefined): number {
  const shown = useMemo(() => day?.folders.flatMap(({ items }) => items) ?? [], [day]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = shown.map(({ id }) => flags.subscribe(id, listener));
      return () => {
        for (const end of ends) end();
      };
    },
    [shown],
  );
  const read = useSyncExternalStore(
    subscribe,
    () => shown.filter((item) => flags.read(item).isRead).length,
  );
  return (day?.seenCount ?? 0) + read;
}

function SectionOf(props: Omit<SectionsProps, "day"> & { section: Section }) {
  const { section, feeds, onOpen, onCursor } = props;
  const { t, i18n } = useLingui();
  const id = useId();
  const [isWhole, setWhole] = useState(false);
  const { kind, items } = section;
  const name = useSectionName(section);
  const count = section.kind === "folder" ? section.count : items.length;
  const more = number(count - items.length, i18n.locale);
  const all = number(count, i18n.locale);
  const isFolder = section.kind === "folder";
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <span dir="auto" lang={isFolder ? textLang("", name, i18n.locale) : undefined}>
          {name}
        </span>
        {isFolder && count > items.length && (
          <Link href={folderPath(section.id)}>{t`${more} more`}</Link>
        )}
        {kind === "popular" && <Link href="/my/popular/hot">{t`Popular`}</Link>}
        {kind === "priceDrops" && <Link href="/watches">{t`Watches`}</Link>}
        {(kind === "longReads" || kind === "episodes") && items.length > few && !isWhole && (
          <button type="button" onClick={() => setWhole(true)}>{t`All ${all}`}</button>
        )}
      </h2>
      {items.slice(0, isWhole ? undefined : few).map((item) => (
        <TodayRow
          key={item.id}
          item={item}
          kind={kind}
          feed={feeds.get(item.feedId)}
          onOpen={onOpen}
          onCursor={onCursor}
        />
      ))}
    </section>
  );
}

function folderPath(id: string | null): string {
  return readerPath(id === null ? { kind: "all" } : { kind: "folder", id }, "unread");
}

function useSectionName(section: Section): string {
  const { t } = useLingui();
  const { folders } = useKnownTree();
  switch (section.kind) {
    case "folder":
      return (
        folders.find(({ id }) => id === section.id)?.name ??
        (folders.length > 0 ? t`No folder` : t`New articles`)
      );
    case "continued":
      return t`Continue reading`;
    case "longReads":
      return t`Long reads`;
    case "episodes":
      return t`Listen`;
    case "popular":
      return t`Popular among your feeds`;
    case "priceDrops":
      return t`Price drops`;
  }
}
