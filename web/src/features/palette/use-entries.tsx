import { useLingui } from "@lingui/react/macro";
import { Bookmark, Folder, Search, Tag, Zap } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { feedTitle, useFeeds } from "@/data/feeds";
import { folderPaths } from "@/data/folder-paths";
import { useMe } from "@/data/me";
import { rememberSearch } from "@/data/recent-searches";
import { readerPath } from "@/data/routes";
import { useSearches } from "@/data/searches";
import { useKnownTree } from "@/data/tree";
import { go } from "@/data/use-route";
import { textLang } from "@/i18n/text-lang";
import { namedCommands } from "@/keys/command-names";
import { keyLabel } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";
import { runCommand } from "@/keys/use-command";
import { FeedIcon } from "@/ui/feed-icon";

export interface Entry {
  key: string;
  name: string;
  lang?: string;
  icon: ReactNode;
  /** Its folder, or its key. */
  note: string;
  isKey?: boolean;
  run: () => unknown;
}

/** All entries: feeds with unread items first, then folders, labels, saved searches, the other feeds and commands. */
export function useEntries(): Entry[] {
  const { i18n } = useLingui();
  const feeds = useFeeds().data?.feeds;
  const { folders, labels } = useKnownTree();
  const searches = useSearches();
  return useMemo(() => {
    const feedEntries = (feeds ?? []).map((feed) => {
      const name = feedTitle(feed);
      return {
        isUnread: feed.hasUnread && !feed.isMuted,
        key: `feed ${feed.id}`,
        name,
        lang: textLang(feed.language, name, i18n.locale),
        icon: <FeedIcon url={feed.iconUrl} name={name} />,
        note: feed.folder,
        run: () => go(readerPath({ kind: "feed", id: feed.id })),
      };
    });
    return [
      ...feedEntries.filter((one) => one.isUnread),
      ...folderPaths(folders).map(({ id, label }) => ({
        key: `folder ${id}`,
        name: label,
        lang: textLang("", label, i18n.locale),
        icon: <Folder />,
        note: "",
        run: () => go(readerPath({ kind: "folder", id })),
      })),
      ...labels.map(({ id, name }) => ({
        key: `label ${id}`,
        name,
        lang: textLang("", name, i18n.locale),
        icon: <Tag />,
        note: "",
        run: () => go(readerPath({ kind: "label", id })),
      })),
      ...searches.map(({ id, name }) => ({
        key: `saved ${id}`,
        name,
        lang: textLang("", name, i18n.locale),
        icon: <Bookmark />,
        note: "",
        run: () => go(readerPath({ kind: "saved", id })),
      })),
      ...feedEntries.filter((one) => !one.isUnread),
      ...namedCommands
        .filter(([id]) => id !== "palette")
        .map(([id, name]) => ({
          key: `command ${id}`,
          name: i18n._(name),
          icon: <Zap />,
          note: keyLabel(keysOf(id)[0] ?? ""),
          isKey: true,
          run: () => runCommand(id),
        })),
    ];
  }, [feeds, folders, labels, searches, i18n]);
}

/** The search for what was typed; none where searching is off. */
export function useSearchEntry(text: string): Entry[] {
  const { t } = useLingui();
  const me = useMe().data;
  const q = text.trim();
  return useMemo(() => {
    if (q === "" || !me || me.search === "off") return [];
    const run = () => {
      rememberSearch(me.user.id, q);
      go(readerPath({ kind: "search", q, in: "", from: "", to: "", sort: "date" }));
    };
    return [
      { key: "search", name: t`Search articles for “${q}”`, icon: <Search />, note: "", run },
    ];
  }, [q, me, t]);
}
