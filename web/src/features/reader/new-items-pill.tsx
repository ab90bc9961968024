import { plural, t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { type ListName, showNews, useNews } from "@/data/news";
import type { StreamPage } from "@/data/stream";
import type { ItemId, ItemSummary } from "@/data/types";
import { useCommands } from "@/keys/use-command";
import { withKey } from "@/ui/icon-button";
import type { ListHandle } from "./item-list";

interface Props {
  name: ListName;
  pages: readonly StreamPage[] | undefined;
  items: readonly ItemSummary[];
  listHandle: RefObject<ListHandle | null>;
}

/** Where one was before the new items came: a row, and how far below the upper edge it stood. */
interface Left {
  id: ItemId;
  y: number;
}

/** New items wait behind this; nothing moves before it is pressed. */
export function NewItemsPill({ name, pages, items, listHandle }: Props) {
  const client = useQueryClient();
  const news = useNews(name, pages);
  const [left, setLeft] = useState<Left | null>(null);
  const [wanted, setWanted] = useState<ItemId | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const scroller = () =>
    place.current?.parentElement?.querySelector<HTMLElement>(":scope > .scroll");
  const count = news.length;

  const show = () => {
    if (count === 0) return false;
    const box = scroller();
    setLeft(box && box.scrollTop > 0 ? topRow(box) : null);
    setWanted(news[0]?.id ?? null);
    void showNews(client, name);
    return true;
  };
  useCommands({ "list.showNew": show });

  // An empty list has nothing that could move.
  const isEmpty = pages !== undefined && items.length === 0;
  useEffect(() => {
    if (isEmpty && count > 0) void showNews(client, name);
  }, [isEmpty, count, client, name]);

  // The first of them is where one goes on, as soon as it is there.
  const isThere = wanted !== null && items.some((item) => item.id === wanted);
  useEffect(() => {
    if (!isThere || wanted === null) return;
    setWanted(null);
    const box = scroller();
    if (!box) return;
    box.scrollTop = 0;
    whenDrawn(box, wanted, (row) => row.focus({ preventScroll: true }));
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
          title={withKey(t`Show new items`, "list.showNew")}
          onClick={show}
        >
          <Plural value={count} one="# new item" other="# new items" />
          <ArrowUp aria-hidden="true" />
        </button>
      ) : (
        left && (
          <button type="button" className="pill" onClick={goBack}>
            <Trans>Back to where you were</Trans>
            <ArrowDown aria-hidden="true" />
          </button>
        )
      )}
      <Announcement count={count} />
    </div>
  );
}

const quietFor = 60_000;
let saidAt = Number.NEGATIVE_INFINITY;

/** Says how many are new, at most once a minute. */
function Announcement({ count }: { count: number }) {
  const [isSaid, setSaid] = useState(false);
  useEffect(() => {
    if (count === 0) return setSaid(false);
    const timer = setTimeout(
      () => {
        saidAt = performance.now();
        setSaid(true);
      },
      Math.max(0, saidAt + quietFor - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [count]);
  return (
    <span className="sr-only" role="status">
      {isSaid && t`${plural(count, { one: "# new item", other: "# new items" })}`}
    </span>
  );
}

const edgeOf = (box: HTMLElement) => box.getBoundingClientRect().top;

/** A row that was far away is drawn some frames after it was scrolled to. */
function whenDrawn(
  box: HTMLElement,
  id: ItemId,
  then: (row: HTMLElement) => void,
  tries = 30,
): void {
  const row = box.querySelector<HTMLElement>(`[data-item="${id}"]`);
  if (row) then(row);
  else if (tries > 0) requestAnimationFrame(() => whenDrawn(box, id, then, tries - 1));
}

/** Puts a row where it stood. The list's own way there ends some frames later, and must not have the last word. */
function hold(box: HTMLElement, { id, y }: Left, frames = 20): void {
  const row = box.querySelector<HTMLElement>(`[data-item="${id}"]`);
  const off = row ? row.getBoundingClientRect().top - edgeOf(box) - y : 0;
  if (Math.abs(off) >= 1) box.scrollTop += off;
  // The pill had the focus, and is gone.
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
