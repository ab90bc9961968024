import type { RefObject } from "react";
import { flags } from "@/data/flags";
import type { Part, ShownList } from "@/data/mark-read";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { ItemId, View } from "@/data/types";
import { closeSide, go, navigate } from "@/data/use-route";
import { runCommand, useCommands } from "@/keys/use-command";
import { transition } from "@/ui/transition";
import type { Actions } from "./actions";
import type { ListHandle } from "./item-list";
import { lookAs } from "./use-shape";

interface Context {
  route: ReaderRoute;
  /** As it was loaded, in the order shown. */
  list: ShownList;
  cursor: ItemId | null;
  openIndex: number;
  actions: Actions;
  listHandle: RefObject<ListHandle | null>;
  articleHeading: RefObject<HTMLHeadingElement | null>;
  articleScroll: RefObject<HTMLDivElement | null>;
  openItem: (id: ItemId, intoArticle?: boolean) => void;
  closeItem: () => void;
  setCursor: (id: ItemId) => void;
  isSideOpen: boolean;
  hasMore: boolean;
  loadMore: () => void;
}

/** What the keys do in the reader. Each of these has a visible control too. */
export function useReaderCommands(context: Context): void {
  const { route, list, openIndex, actions, listHandle, openItem } = context;
  const { items } = list;
  const { stream } = route;
  const cursorIndex = items.findIndex((item) => item.id === context.cursor);
  const at = openIndex >= 0 ? openIndex : cursorIndex;
  const current = items[at];
  const isOpen = route.item !== null;

  const openAt = (index: number) => {
    const item = items[index];
    if (!item) {
      if (index >= items.length && context.hasMore) context.loadMore();
      return;
    }
    openItem(item.id);
    listHandle.current?.focusRow(index);
  };
  const moveTo = (index: number) => {
    const item = items[index];
    if (!item) return;
    context.setCursor(item.id);
    listHandle.current?.focusRow(index);
  };
  const nextUnread = () => {
    const index = items.findIndex((item, i) => i > at && !flags.read(item).isRead);
    if (index >= 0) openAt(index);
    else if (context.hasMore) context.loadMore();
    // The side bar knows which that is.
    else runCommand("feed.next");
  };
  const mark = (part: Part) => (at < 0 ? false : actions.markList(list, part));
  const page = (step: 1 | -1) => {
    if (listHandle.current?.page(step)) return undefined;
    const box = context.articleScroll.current;
    if (!isOpen || !box) return step > 0 ? nextUnread() : undefined;
    const room = box.scrollHeight - box.clientHeight - box.scrollTop;
    if (step > 0 && room < 4) return nextUnread();
    box.scrollBy({ top: step * (box.clientHeight - 48) });
    return undefined;
  };

  const look = (view: View) =>
    transition("look", () => navigate(lookAs(route, { view }), { replace: true }));

  useCommands({
    "item.next": () => openAt(at + 1),
    "item.previous": () => openAt(Math.max(0, at - 1)),
    "cursor.next": () => moveTo(cursorIndex + 1),
    "cursor.previous": () => moveTo(Math.max(0, cursorIndex - 1)),
    "item.toggle": () => {
      const onCursor = items[cursorIndex];
      if (isOpen && (!onCursor || onCursor.id === route.item)) context.closeItem();
      else if (onCursor) openAt(cursorIndex);
    },
    "item.enter": () => {
      const onCursor = items[cursorIndex];
      if (!onCursor) return false;
      if (onCursor.id === route.item) context.articleHeading.current?.focus();
      else openItem(onCursor.id);
      return true;
    },
    back: () => {
      if (context.isSideOpen) closeSide();
      else if (isOpen) context.closeItem();
      else return false;
      return true;
    },
    "item.read": () => (current ? actions.toggleRead(current) : false),
    "item.star": () => (current ? actions.toggleStar(current) : false),
    "item.original": () => {
      if (!current?.link) return false;
      window.open(current.link, "_blank", "noopener,noreferrer");
      return true;
    },
    "page.down": () => page(1),
    "page.up": () => page(-1),
    "list.markRead": () => actions.markList(list),
    "list.markReadAndGo": () => {
      actions.markList(list);
      runCommand("feed.next");
    },
    "list.markAbove": () => mark({ above: at }),
    "list.markBelow": () => mark({ below: at }),
    "feed.refresh": () => void actions.refresh(list),
    "view.list": () => look("list"),
    "view.card": () => look("card"),
    "view.magazine": () => look("magazine"),
    "filter.all": () => go(readerPath(stream, "all", null, route)),
    "filter.unread": () => go(readerPath(stream, "unread", null, route)),
    "filter.starred": () => go(readerPath(stream, "starred", null, route)),
  });
}
