import { type RefObject, useEffect, useRef } from "react";
import { about } from "@/data/about";
import { flags } from "@/data/flags";
import type { Part, ShownList } from "@/data/mutations/mark-read";
import { note } from "@/data/notes";
import type { ReaderRoute } from "@/data/routes";
import { sending } from "@/data/sending";
import type { ItemId, Mode } from "@/data/types";
import { closeSide } from "@/data/use-route";
import type { CommandId } from "@/keys/commands";
import { holdKeys } from "@/keys/held";
import { runCommand, useCommands } from "@/keys/use-command";
import type { Actions } from "./actions";
import type { ListHandle } from "./item-list";
import { chooseFilter, chooseMode } from "./use-shape";

interface Context {
  route: ReaderRoute;
  /** The loaded list, in the order shown. */
  list: ShownList;
  cursor: ItemId | null;
  openIndex: number;
  actions: Actions;
  listHandle: RefObject<ListHandle | null>;
  mode: Mode;
  articleHeading: RefObject<HTMLHeadingElement | null>;
  articleScroll: RefObject<HTMLDivElement | null>;
  openItem: (id: ItemId, intoArticle?: boolean) => void;
  closeItem: () => void;
  setCursor: (id: ItemId) => void;
  isSideOpen: boolean;
  hasMore: boolean;
  loadMore: () => void;
}

/** The commands of the reader. Each has a visible control too. */
export function useReaderCommands(context: Context): void {
  const { route, list, openIndex, actions, listHandle, openItem } = context;
  const { items } = list;
  const cursorIndex = items.findIndex((item) => item.id === context.cursor);
  const at = openIndex >= 0 ? openIndex : cursorIndex;
  const current = items[at];
  const isOpen = route.item !== null;
  // It closes with the article.
  useEffect(() => {
    if (!isOpen) about.set(null);
  }, [isOpen]);

  // A step past the loaded items is repeated when more are loaded, unless something else happened meanwhile.
  const pendingStep = useRef<{ from: ItemId | undefined; command: CommandId } | null>(null);
  const goOn = (command: CommandId) => {
    if (context.hasMore) {
      pendingStep.current = { from: items[at]?.id, command };
      context.loadMore();
    } else if (items.length > 0) {
      listHandle.current?.showEnd();
      actions.showEnd();
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when more items are loaded
  useEffect(() => {
    const step = pendingStep.current;
    pendingStep.current = null;
    if (step?.from && step.from === items[at]?.id) runCommand(step.command);
  }, [items]);
  const isStream = context.mode === "stream";
  const openAt = (index: number) => {
    const item = items[index];
    if (isStream && current && index > at) actions.setRead(current, true);
    if (!item) return goOn("item.next");
    if (isStream) {
      context.setCursor(item.id);
      return listHandle.current?.focusRow(index);
    }
    openItem(item.id);
    // When it has been rendered: a focused row whose tabindex changes costs a layout.
    queueMicrotask(() => listHandle.current?.focusRow(index, true));
  };
  const moveTo = (index: number) => {
    const item = items[index];
    if (!item) return goOn("cursor.next");
    context.setCursor(item.id);
    listHandle.current?.focusRow(index, true);
  };
  const nextUnread = () => {
    const index = items.findIndex((item, i) => i > at && !flags.read(item).isRead);
    if (index >= 0) openAt(index);
    else if (context.hasMore) goOn("page.down");
    // Handled by the side bar.
    else runCommand("feed.next");
  };
  const mark = (part: Part) => (at < 0 ? false : void actions.markList(list, part));
  const markOlder = (days: number) => void actions.markOlder(list, days, context.hasMore);
  // The first row of a screen that was turned to: nobody has passed it yet.
  const turnedTo = useRef<ItemId | null>(null);
  /** Marks what is on the screen and shows what comes next. */
  const passScreen = () => {
    const passed = listHandle.current?.passScreen() ?? [];
    const last = passed.at(-1);
    const after = items.findIndex((item) => item.id === last?.id) + 1;
    void actions.markList(list, { items: passed });
    const next = items[after];
    if (!next) return goOn("page.down");
    turnedTo.current = next.id;
    context.setCursor(next.id);
    return listHandle.current?.focusRow(after);
  };
  const openNext = () => {
    const isSkim = context.mode === "skim";
    const isTurnedTo = isSkim && !isOpen && current?.id === turnedTo.current;
    turnedTo.current = null;
    return openAt(isTurnedTo ? at : at + 1);
  };
  const page = (step: 1 | -1) => {
    if (listHandle.current?.page(step)) return undefined;
    if (context.mode === "skim") {
      if (!isOpen) return passScreen();
      return step > 0 ? openAt(at + 1) : undefined;
    }
    const box = context.articleScroll.current;
    if (isStream) return goOn("page.down");
    if (!isOpen || !box) return step > 0 ? nextUnread() : undefined;
    const room = box.scrollHeight - box.clientHeight - box.scrollTop;
    if (step > 0 && room < 4) return nextUnread();
    box.scrollBy({ top: step * (box.clientHeight - 48) });
    return undefined;
  };

  const openOriginal = () => {
    if (!current?.link) return false;
    note("clicked", current.id);
    window.open(current.link, "_blank", "noopener,noreferrer");
    return true;
  };

  useCommands({
    "item.next": openNext,
    "item.previous": () => openAt(Math.max(0, at - 1)),
    "cursor.next": () => (isStream ? openAt(at + 1) : moveTo(cursorIndex + 1)),
    "cursor.previous": () => {
      const previous = Math.max(0, cursorIndex - 1);
      return isStream ? openAt(previous) : moveTo(previous);
    },
    "item.toggle": () => {
      if (isStream) return openOriginal();
      const onCursor = items[cursorIndex];
      if (isOpen && (!onCursor || onCursor.id === route.item)) context.closeItem();
      else if (onCursor) openAt(cursorIndex);
      return true;
    },
    "item.enter": () => {
      const onCursor = items[cursorIndex];
      if (!onCursor) return false;
      if (isStream) return openOriginal();
      if (onCursor.id === route.item) context.articleHeading.current?.focus();
      else openItem(onCursor.id);
      return true;
    },
    back: () => {
      if (context.isSideOpen) closeSide();
      else if (isOpen) context.closeItem();
      else if (isStream) chooseMode(route, "skim");
      else return false;
      return true;
    },
    "item.read": () => (current ? actions.toggleRead(current) : false),
    "item.star": () => (current ? actions.toggleStar(current) : false),
    "item.later": () => (current ? actions.toggleLater(current) : false),
    "item.send": () => (current ? sending.set(current) : false),
    // An open article has the command too.
    "article.about": () => {
      if (!current) return false;
      if (!isStream) openItem(current.id);
      about.set(about.get() === current.id ? null : current.id);
      return true;
    },
    "item.pin": () => (current ? actions.togglePin(current) : false),
    "item.original": openOriginal,
    "page.down": () => page(1),
    "page.up": () => page(-1),
    "list.markRead": () => void actions.markList(list),
    "list.markReadAndGo": () => {
      // The next feed is known when these are counted as read; keys are held for it.
      const release = holdKeys(() => undefined);
      void actions
        .markList(list)
        .then(() => runCommand("feed.next"))
        .finally(release);
    },
    "list.markAbove": () => mark({ above: at }),
    "list.markBelow": () => mark({ below: at }),
    "feed.refresh": () => void actions.refresh(list),
    "list.markDay": () => markOlder(1),
    "list.markWeek": () => markOlder(7),
    "mode.skim": () => chooseMode(route, "skim"),
    "mode.read": () => chooseMode(route, "read"),
    "mode.stream": () => chooseMode(route, "stream"),
    "mode.gallery": () => chooseMode(route, "gallery"),
    "filter.all": () => chooseFilter(route, "all"),
    "filter.unread": () => chooseFilter(route, "unread"),
    "filter.starred": () => chooseFilter(route, "starred"),
  });
}
