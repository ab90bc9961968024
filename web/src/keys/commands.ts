import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/**
 * The one table of commands. It feeds the key handler, the help overlay and the tooltips; the code of a
 * command is registered by whoever can run it at the moment (use-command.ts).
 */
export interface Command {
  id: CommandId;
  /**
   * Of the preset "Reader" (keymap.ts has the others): presses, a sequence with spaces between them (keyboard.ts:
   * pressName); shown in the help in this order.
   */
  keys: readonly string[];
  label: MessageDescriptor;
  group: "list" | "article" | "go" | "app";
  /** Held-down keys repeat. */
  repeats?: boolean;
}

export type CommandId =
  | "item.next"
  | "item.previous"
  | "cursor.next"
  | "cursor.previous"
  | "item.toggle"
  | "item.enter"
  | "back"
  | "item.read"
  | "item.star"
  | "item.original"
  | "item.pin"
  | "pins.open"
  | "article.images"
  | "article.alone"
  | "text.larger"
  | "text.smaller"
  | "text.reset"
  | "page.down"
  | "page.up"
  | "feed.next"
  | "feed.previous"
  | "list.markRead"
  | "list.markReadAndGo"
  | "list.markAbove"
  | "list.markBelow"
  | "list.showNew"
  | "undo"
  | "feed.refresh"
  | "feed.add"
  | "filter.all"
  | "filter.unread"
  | "filter.starred"
  | "view.list"
  | "view.card"
  | "view.magazine"
  | "go.all"
  | "go.unread"
  | "go.starred"
  | "go.feeds"
  | "go.stats"
  | "go.settings"
  | "pane.side"
  | "pane.list"
  | "pane.next"
  | "pane.previous"
  | "palette"
  | "theme"
  | "help";

export const commands: readonly Command[] = [
  { id: "item.next", keys: ["j"], label: msg`Open the next item`, group: "list", repeats: true },
  {
    id: "item.previous",
    keys: ["k"],
    label: msg`Open the previous item`,
    group: "list",
    repeats: true,
  },
  {
    id: "cursor.next",
    keys: ["n"],
    label: msg`Move to the next item`,
    group: "list",
    repeats: true,
  },
  {
    id: "cursor.previous",
    keys: ["p"],
    label: msg`Move to the previous item`,
    group: "list",
    repeats: true,
  },
  { id: "item.toggle", keys: ["o"], label: msg`Open or close the item`, group: "list" },
  { id: "item.enter", keys: ["Enter"], label: msg`Open the item and go into it`, group: "list" },
  { id: "back", keys: ["u", "Escape"], label: msg`Go one level back`, group: "list" },
  { id: "filter.all", keys: ["1"], label: msg`Show all items`, group: "list" },
  { id: "filter.unread", keys: ["2"], label: msg`Show unread items`, group: "list" },
  { id: "filter.starred", keys: ["3"], label: msg`Show starred items`, group: "list" },
  { id: "view.list", keys: ["Shift+1"], label: msg`List`, group: "list" },
  { id: "view.card", keys: ["Shift+2"], label: msg`Cards`, group: "list" },
  {
    id: "view.magazine",
    keys: ["Shift+3"],
    label: msg`Magazine`,
    group: "list",
  },
  {
    id: "list.markReadAndGo",
    keys: ["Shift+A"],
    label: msg`Mark the list as read, go to the next unread feed`,
    group: "list",
  },
  { id: "list.markRead", keys: [], label: msg`Mark the list as read`, group: "list" },
  {
    id: "list.markBelow",
    keys: ["Shift+M"],
    label: msg`Mark what is below the item as read`,
    group: "list",
  },
  {
    id: "list.markAbove",
    keys: [],
    label: msg`Mark what is above the item as read`,
    group: "list",
  },
  { id: "feed.refresh", keys: ["r"], label: msg`Look for new items`, group: "list" },
  { id: "list.showNew", keys: ["."], label: msg`Show new items`, group: "list" },
  { id: "item.read", keys: ["m"], label: msg`Mark as read or unread`, group: "article" },
  { id: "item.star", keys: ["s"], label: msg`Star or remove the star`, group: "article" },
  { id: "item.original", keys: ["v"], label: msg`Open the original`, group: "article" },
  // No keys in the preset "Reader".
  { id: "item.pin", keys: [], label: msg`Pin or unpin`, group: "article" },
  { id: "pins.open", keys: [], label: msg`Open the pinned items in tabs`, group: "list" },
  { id: "article.images", keys: ["i"], label: msg`Show or hide the images`, group: "article" },
  { id: "article.alone", keys: ["f"], label: msg`Show the item alone`, group: "article" },
  { id: "text.larger", keys: ["+"], label: msg`Larger text`, group: "article", repeats: true },
  { id: "text.smaller", keys: ["-"], label: msg`Smaller text`, group: "article", repeats: true },
  { id: "text.reset", keys: ["0"], label: msg`Text in its usual size`, group: "article" },
  {
    id: "page.down",
    keys: ["Space"],
    label: msg`Page down, then the next unread item`,
    group: "article",
    repeats: true,
  },
  { id: "page.up", keys: ["Shift+Space"], label: msg`Page up`, group: "article", repeats: true },
  { id: "go.all", keys: ["g a"], label: msg`Go to all items`, group: "go" },
  { id: "go.unread", keys: ["g u"], label: msg`Go to unread items`, group: "go" },
  { id: "go.starred", keys: ["g s"], label: msg`Go to starred items`, group: "go" },
  { id: "go.feeds", keys: ["g f"], label: msg`Go to the subscriptions`, group: "go" },
  { id: "go.stats", keys: ["g t"], label: msg`Go to the statistics`, group: "go" },
  { id: "go.settings", keys: [","], label: msg`Go to the settings`, group: "go" },
  {
    id: "feed.next",
    keys: ["Shift+J"],
    label: msg`Go to the next feed with unread items`,
    group: "go",
  },
  {
    id: "feed.previous",
    keys: ["Shift+K"],
    label: msg`Go to the previous feed with unread items`,
    group: "go",
  },
  { id: "undo", keys: ["z"], label: msg`Undo`, group: "app" },
  { id: "feed.add", keys: ["a"], label: msg`Add a feed`, group: "app" },
  { id: "palette", keys: ["Mod+K"], label: msg`Go to a feed, or do something`, group: "app" },
  { id: "pane.next", keys: ["F6"], label: msg`Go to the next pane`, group: "app" },
  { id: "pane.previous", keys: ["Shift+F6"], label: msg`Go to the pane before`, group: "app" },
  { id: "pane.side", keys: ["["], label: msg`Show or hide the side bar`, group: "app" },
  { id: "pane.list", keys: ["]"], label: msg`Show or hide the list`, group: "app" },
  { id: "theme", keys: ["t"], label: msg`Change the theme`, group: "app" },
  { id: "help", keys: ["?"], label: msg`Show the keyboard shortcuts`, group: "app" },
];

export function commandById(id: CommandId): Command {
  const found = commands.find((command) => command.id === id);
  if (!found) throw new Error(`no command ${id}`);
  return found;
}

/** "Shift+A" as a person reads it. */
export function keyLabel(keys: string): string {
  const mod = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl ";
  return keys
    .replace("Mod+", mod)
    .replace("Shift+", "⇧")
    .replace("Escape", "Esc")
    .replace("Enter", "↵");
}
