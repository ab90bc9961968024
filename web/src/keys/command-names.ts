import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { CommandId } from "./commands";

interface CommandGroup {
  title: MessageDescriptor;
  /** With other words that the palette finds them by. */
  commands: readonly (readonly [CommandId, MessageDescriptor, MessageDescriptor?])[];
}

/** The names of all commands, as the help, the palette and the settings show them. The first screen does not need them. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: msg`List`,
    commands: [
      ["item.next", msg`Next article`],
      ["item.previous", msg`Previous article`],
      ["cursor.next", msg`Select next article`],
      ["cursor.previous", msg`Select previous article`],
      ["item.toggle", msg`Open or close article`],
      ["item.enter", msg`Open article and move focus to it`],
      ["back", msg`Back`],
      ["mode.skim", msg`Skim`],
      ["mode.read", msg({ message: "Read", context: "mode" })],
      ["mode.stream", msg`Stream`],
      ["mode.gallery", msg`Gallery`],
      ["filter.unread", msg`Show unread articles`],
      ["filter.all", msg`Show all articles`],
      ["filter.starred", msg`Show starred articles`],
      ["list.markReadAndGo", msg`Mark all as read and go to the next unread feed`],
      ["list.markRead", msg`Mark all as read`],
      ["list.markBelow", msg`Mark articles below as read`],
      ["list.markAbove", msg`Mark articles above as read`],
      ["list.markDay", msg`Mark articles older than a day as read`],
      ["list.markWeek", msg`Mark articles older than a week as read`],
      ["feed.refresh", msg`Check for new articles`, msg`refresh update reload`],
      ["list.showNew", msg`Show new articles`],
      ["pins.open", msg`Open pinned articles in tabs`],
    ],
  },
  {
    title: msg`Article`,
    commands: [
      ["item.read", msg`Toggle read`],
      ["item.star", msg`Toggle star`],
      ["item.later", msg`Read later`],
      ["item.send", msg`Send to…`, msg`share email`],
      ["item.original", msg`Open original`],
      ["item.pin", msg`Pin or unpin`],
      ["article.images", msg`Show or hide images`],
      ["article.about", msg`Key sentences`, msg`summary`],
      ["article.alone", msg`Focus mode`],
      ["text.larger", msg`Larger text`],
      ["text.smaller", msg`Smaller text`],
      ["text.reset", msg`Default text size`],
      ["page.down", msg`Page down, then next unread article; in a list: mark the screen as read`],
      ["page.up", msg`Page up`],
    ],
  },
  {
    title: msg`Go to`,
    commands: [
      ["go.today", msg`Go to Today`],
      ["go.all", msg`Go to all articles`],
      ["go.unread", msg`Go to unread`],
      ["go.later", msg`Go to Read later`, msg`saved bookmarks`],
      ["go.starred", msg`Go to starred`],
      ["go.recent", msg`Go to recently read`, msg`history`],
      ["go.popular", msg`Go to popular`, msg`trending ranking`],
      ["go.feeds", msg`Go to subscriptions`, msg`feeds unsubscribe mute folders rename errors`],
      ["go.rules", msg`Go to rules and labels`, msg`mute hide block filters keywords tags`],
      ["go.watches", msg`Go to watches`, msg`prices alerts shops`],
      ["go.stats", msg`Go to server status`],
      ["go.settings", msg`Go to settings`],
      ["feed.next", msg`Next unread feed`],
      ["feed.previous", msg`Previous unread feed`],
    ],
  },
  {
    title: msg`General`,
    commands: [
      ["search", msg`Search`],
      ["undo", msg`Undo`],
      ["feed.add", msg`Add a feed`, msg`subscribe RSS website`],
      ["watch.add", msg`Watch a page…`, msg`prices alerts shops`],
      ["palette", msg`Jump to a feed or run a command`],
      ["pane.next", msg`Next pane`],
      ["pane.previous", msg`Previous pane`],
      ["pane.side", msg`Show or hide sidebar`],
      ["pane.list", msg`Show or hide list`],
      ["theme", msg`Change theme`, msg`dark light night`],
      ["help", msg`Keyboard shortcuts`, msg`help keys`],
    ],
  },
];

export const namedCommands = commandGroups.flatMap(({ commands }) => commands);

const names = new Map(namedCommands.map(([id, name]) => [id, name]));

export function commandName(id: CommandId): MessageDescriptor {
  return names.get(id) ?? { id };
}
