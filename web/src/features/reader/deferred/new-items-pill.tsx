import { plural, t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { type ListName, showNewItems, useNewItems } from "@/data/new-items";
import { sortTime } from "@/data/sort-time";
import type { StreamPage } from "@/data/stream";
import type { ItemId, ItemSummary } from "@/data/types";
import { useCommands } from "@/keys/use-command";
import { withKey } from "@/ui/icon-button";
import type { ListHandle } from "../item-list";

interface Props {
  name: ListName;
  pages: readonly StreamPage[] | undefined;
  items: readonly ItemSummary[];
  listHandle: RefObject<ListHandle | null>;
}

/** The scroll position before the new items: a row, and its distance from the upper edge. */
interface Left {
  id: ItemId;
  y: number;
}

/** Shows how many items are new; nothing moves before it is pressed. */
export function NewItemsPill({ name, pages, items, listHandle }: Props) {
  const client = useQueryClient();
  const added = useNewItems(name, pages);
  const [left, setLeft] = useState<Left | null>(null);
  const [wanted, setWanted] = useState<ItemId | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const scroller = () =>
    place.current?.parentElement?.querySelector<HTMLElement>(":scope > .scroll");
  const count = added.length;
  // They would stand further down by their date: shown now, they are at the top.
  const newest = items[0] && Date.parse(sortTime(items[0]));
  const isLate = newest !== undefined && added.some((one) => Date.parse(sortTime(one)) < newest);

  const show = () => {
    if (count === 0) return false;
    const box = scroller();
    setLeft(box && box.scrollTop > 0 ? topRow(box) : null);
    setWanted(added[0]?.id ?? null);
    void showNewItems(client, name);
    return true;
  };
  useCommands({ "list.showNew": show });

  // In an empty list nothing can move.
  const isEmpty = pages !== undefined && items.length === 0;
  useEffect(() => {
    if (isEmpty && count > 0) void showNewItems(client, name);
  }, [isEmpty, count, client, name]);

  // Focuses the first new item as soon as it is rendered.
  const isThere = wanted !== null && items.some((item) => item.id === wanted);
  useEffect(() => {
    if (!isThere || wanted === null) return;
    setWanted(null);
    const box = scroller();
    if (!box) return;
    box.scrollTop = 0;
    whenRendered(box, wanted, (row) => row.focus({ preventScroll: true }));
  });

  const goBack = () => {
    const index = left ? items.findIndex((item) => item.id === left.id) : -1;
    setLeft(null);
    const box = scroller();
    if (!left || !box || index < 0) return;
    listHandle.current?.reveal(index);
    hold(box, left);
  };

  return (
    <div ref={place} className="pill-place">
      {count > 0 ? (
        <button
          type="button"
          className="pill"
          title={withKey(t`Show new articles`, "list.showNew")}
          onClick={show}
        >
          <Plural value={count} one="# new article" other="# new articles" />
          {isLate && name.order === "new" && <Trans>· by arrival</Trans>}
          <ArrowUp />
        </button>
      ) : (
        left && (
          <button type="button" className="pill" onClick={goBack}>
            <Trans>Back to where you were</Trans>
            <ArrowDown />
          </button>
        )
      )}
      <Announcement count={count} />
    </div>
  );
}

const quietFor = 60_000;
let announcedAt = Number.NEGATIVE_INFINITY;

/** Announces how many are new, at most once a minute. */
function Announcement({ count }: { count: number }) {
  const [isAnnounced, setAnnounced] = useState(false);
  useEffect(() => {
    if (count === 0) return setAnnounced(false);
    const timer = setTimeout(
      () => {
        announcedAt = performance.now();
        setAnnounced(true);
      },
      Math.max(0, announcedAt + quietFor - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [count]);
  return (
    <span className="sr-only" role="status">
      {isAnnounced && t`${plural(count, { one: "# new article", other: "# new articles" })}`}
    </span>
  );
}

const edgeOf = (box: HTMLElement) => box.getBoundingClientRect().top;

/** A row that was far away is rendered some frames after scrolling to it. */
function whenRendered(
  box: HTMLElement,
  id: ItemId,
  then: (row: HTMLElement) => void,
  tries = 30,
): void {
  const row = box.querySelector<HTMLElement>(`[data-item="${id}"]`);
  if (row) then(row);
  else if (tries > 0) requestAnimationFrame(() => whenRendered(box, id, then, tries - 1));
}

/** Keeps a row at its old position for some frames, until the virtual list has finished scrolling. */
function hold(box: HTMLElement, { id, y }: Left, frames = 20): void {
  const row = box.querySelector<HTMLElement>(`[data-item="${id}"]`);
  const off = row ? row.getBoundingClientRect().top - edgeOf(box) - y : 0;
  if (Math.abs(off) >= 1) box.scrollTop += off;
  // The pill had the focus, and is removed.
  if (document.activeElement === document.body) row?.focus({ preventScroll: true });
  if (frames > 0) requestAnimationFrame(() => hold(box, { id, y }, frames - 1));
}

function topRow(box: HTMLElement): Left | null {
  const top = edgeOf(box);
  for (const row of box.querySelectorAll<HTMLElement>(".row")) {
    const at = row.getBoundingClientRect();
    const id = row.dataset.item;
    if (at.bottom > top + 1 && id) return { id, y: at.top - top };
  }
  return null;
}
