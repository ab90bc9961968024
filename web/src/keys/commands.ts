/**
 * The keys of each command in the preset "Reader" (keymap.ts has the others): presses, a sequence with spaces between them
 * (keyboard.ts: pressName). The code of a command is registered by whoever can run it at the moment (use-command.ts), its
 * name is in command-names.ts.
 */
export const readerKeys = {
  "item.next": ["j"],
  "item.previous": ["k"],
  "cursor.next": ["n"],
  "cursor.previous": ["p"],
  "item.toggle": ["o"],
  "item.enter": ["Enter"],
  back: ["u", "Escape"],
  "mode.skim": ["1"],
  "mode.read": ["2"],
  "mode.stream": ["3"],
  "mode.gallery": [],
  "filter.unread": ["Shift+1"],
  "filter.all": ["Shift+2"],
  "filter.starred": ["Shift+3"],
  "list.markReadAndGo": ["Shift+A"],
  "list.markRead": [],
  "list.markBelow": ["Shift+M"],
  "list.markAbove": [],
  "list.markDay": [],
  "list.markWeek": [],
  "feed.refresh": ["r"],
  "list.showNew": ["."],
  "item.read": ["m"],
  "item.star": ["s"],
  "item.later": ["b"],
  "item.send": ["Shift+E"],
  "item.original": ["v"],
  "item.pin": [],
  "pins.open": [],
  "article.images": ["i"],
  "article.about": ["y"],
  "article.alone": ["f"],
  "text.larger": ["+"],
  "text.smaller": ["-"],
  "text.reset": ["0"],
  "page.down": ["Space"],
  "page.up": ["Shift+Space"],
  "go.today": ["g h"],
  "go.all": ["g a"],
  "go.unread": ["g u"],
  "go.later": ["g b"],
  "go.starred": ["g s"],
  "go.recent": [],
  "go.popular": ["g p"],
  "go.feeds": ["g f"],
  "go.rules": ["g r"],
  "go.watches": ["g w"],
  "go.stats": ["g t"],
  "go.settings": [","],
  "feed.next": ["Shift+J"],
  "feed.previous": ["Shift+K"],
  search: ["/"],
  undo: ["z"],
  "feed.add": ["a"],
  "watch.add": [],
  palette: ["Mod+K"],
  "pane.next": ["F6"],
  "pane.previous": ["Shift+F6"],
  "pane.side": ["["],
  "pane.list": ["]"],
  theme: ["t"],
  help: ["?"],
} as const satisfies Record<string, readonly string[]>;

export type CommandId = keyof typeof readerKeys;

export const commandIds = Object.keys(readerKeys) as readonly CommandId[];

/** Commands whose keys repeat while they are held down. */
export const repeatingCommands: ReadonlySet<CommandId> = new Set<CommandId>([
  "item.next",
  "item.previous",
  "cursor.next",
  "cursor.previous",
  "text.larger",
  "text.smaller",
  "page.down",
  "page.up",
]);

/** "Shift+A" as a person reads it. */
export function keyLabel(keys: string): string {
  const mod = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl ";
  return keys
    .replace("Mod+", mod)
    .replace("Shift+", "⇧")
    .replace("Escape", "Esc")
    .replace("Enter", "↵");
}
