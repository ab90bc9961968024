import { useLingui } from "@lingui/react/macro";
import { Bookmark, Folder, Search, Settings, Tag, Zap } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { feedTitle, useFeeds, useFeedsById } from "@/data/feeds";
import { folderPaths } from "@/data/folder-paths";
import { useMe } from "@/data/me";
import { rememberSearch } from "@/data/recent-searches";
import { readerPath } from "@/data/routes";
import { useSearches } from "@/data/searches";
import { useKnownTree } from "@/data/tree";
import { go, useRoute } from "@/data/use-route";
import { textLang } from "@/i18n/text-lang";
import { namedCommands } from "@/keys/command-names";
import { keyLabel } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";
import { settingsPages } from "@/keys/settings-names";
import { runCommand } from "@/keys/use-command";
import { FeedIcon } from "@/ui/feed-icon";

export interface Entry {
  key: string;
  name: string;
  /** It is found by these too. */
  words?: string;
  lang?: string;
  icon: ReactNode;
  /** Its folder, or its key. */
  note: string;
  isKey?: boolean;
  run: () => unknown;
}

/** All entries: feeds with unread items first, then folders, labels, saved searches, the other feeds and commands. */
export function useEntries(): Entry[] {
  const { i18n, t } = useLingui();
  const isOwner = useMe().data?.user.isOwner === true;
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
      ...settingsPages
        .filter(({ group }) => isOwner || group !== "server")
        .map(({ id, label, words }) => ({
          key: `settings ${id}`,
          name: i18n._(label),
          words: i18n._(words),
          icon: <Settings />,
          note: t`Settings`,
          run: () => go(`/settings/${id}`),
        })),
      ...namedCommands
        .filter(([id]) => id !== "palette" && (isOwner || id !== "go.stats"))
        .map(([id, name, words]) => ({
          key: `command ${id}`,
          name: i18n._(name),
          ...(words ? { words: i18n._(words) } : {}),
          icon: <Zap />,
          note: keyLabel(keysOf(id)[0] ?? ""),
          isKey: true,
          run: () => runCommand(id),
        })),
    ];
  }, [feeds, folders, labels, searches, isOwner, i18n, t]);
}

/** The search for what was typed; none where searching is off. */
export function useSearchEntry(text: string): Entry[] {
  const { t } = useLingui();
  const me = useMe().data;
  const route = useRoute();
  const feeds = useFeedsById();
  const { folders } = useKnownTree();
  const q = text.trim();
  return useMemo(() => {
    if (q === "" || !me || me.search === "off") return [];
    const entry = (key: string, name: string, scope: string) => ({
      key,
      name,
      icon: <Search />,
      note: "",
      run: () => {
        rememberSearch(me.user.id, q);
        go(readerPath({ kind: "search", q, in: scope, from: "", to: "", sort: "date" }));
      },
    });
    const stream = route.screen === "reader" ? route.stream : null;
    const feed = stream?.kind === "feed" ? feeds.get(stream.id) : undefined;
    const folder = stream?.kind === "folder" && folders.find(({ id }) => id === stream.id);
    const place = feed ? feedTitle(feed) : folder ? folder.name : "";
    const scope = feed ? `f${feed.id}` : folder ? `d${folder.id}` : "";
    return [
      ...(scope === "" ? [] : [entry("search here", t`Search for “${q}” in ${place}`, scope)]),
      entry("search", t`Search articles for “${q}”`, ""),
    ];
  }, [q, me, t, route, feeds, folders]);
}
