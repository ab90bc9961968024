import { Trans, useLingui } from "@lingui/react/macro";
import {
  ChevronDown,
  CircleDot,
  CircleHelp,
  Inbox,
  Plus,
  Settings,
  Star,
  TriangleAlert,
} from "lucide-react";
import { type KeyboardEvent, lazy, memo, type ReactNode, Suspense, useMemo } from "react";
import { feedTitle, useFeeds } from "@/data/feeds";
import { usePreferenceSet } from "@/data/preferences";
import { type ReaderRoute, readerPath, sameStream } from "@/data/routes";
import type { Feed } from "@/data/types";
import { wordsFor } from "@/i18n/error-words";
import { shortCount } from "@/i18n/format";
import { textLang } from "@/i18n/text-lang";
import { runCommand } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { LetterTile } from "@/ui/letter-tile";
import { Link } from "@/ui/link";
import { Logo } from "@/ui/logo";
import { useLate } from "@/ui/use-late";
import { groupByFolder } from "./folders";

const SettingsMenu = lazy(() => import("./menus").then((m) => ({ default: m.SettingsMenu })));

interface Props {
  route: ReaderRoute;
  onImport: () => void;
  /** On phones the open side bar is the screen, and needs the heading of one. */
  isScreen: boolean;
  /** The menus are asked for once the first list is there. */
  hasMenus: boolean;
}

export function Sidebar({ route, onImport, isScreen, hasMenus }: Props) {
  const { t, i18n } = useLingui();
  const feeds = useFeeds();
  const totals = feeds.data?.totals;
  const folders = useMemo(
    () => groupByFolder(feeds.data?.feeds ?? [], i18n.locale),
    [feeds.data, i18n.locale],
  );
  const [closed, toggle] = usePreferenceSet("closed-folders");
  const late = useLate(feeds.isPending);
  const { stream, filter } = route;
  const isUnread = stream.kind === "all" && filter === "unread";
  const later = <IconButton label={t`Settings`} icon={<Settings />} disabled />;

  return (
    <nav className="side" aria-label={t`Feeds`} onKeyDown={moveByArrows}>
      <header>
        <Logo size={24} />
        {isScreen ? <h1>Ruri Reader</h1> : "Ruri Reader"}
      </header>
      <div className="scroll">
        <ul>
          <StreamLink
            href="/all"
            icon={<Inbox />}
            current={stream.kind === "all" && !isUnread}
            name={t`All`}
          />
          <StreamLink
            href="/all?f=unread"
            icon={<CircleDot />}
            current={isUnread}
            name={t`Unread`}
            count={totals?.unread}
            countName={t`unread`}
          />
          <StreamLink
            href="/starred"
            icon={<Star />}
            current={stream.kind === "starred"}
            name={t`Starred`}
            count={totals?.starred}
            countName={t`starred`}
          />
        </ul>
        {late && <SidebarSkeleton />}
        {feeds.isError && !feeds.data && (
          <div className="mt-4">
            <ErrorNote error={feeds.error} onRetry={() => void feeds.refetch()} />
          </div>
        )}
        {folders.map(({ name, feeds: inside, unread }) => {
          const isClosed = closed.has(name);
          return (
            <section key={name} aria-label={name || t`Feeds without a folder`}>
              {name !== "" || folders.length > 1 ? (
                <button
                  type="button"
                  className="folder"
                  aria-expanded={!isClosed}
                  onClick={() => toggle(name)}
                >
                  <ChevronDown aria-hidden="true" />
                  <span className="truncate">{name || <Trans>Without a folder</Trans>}</span>
                  {unread > 0 && <span className="count">{shortCount(unread)}</span>}
                </button>
              ) : (
                <div className="mt-3" />
              )}
              {!isClosed && (
                <ul>
                  {inside.map((feed) => (
                    <FeedLink
                      key={feed.id}
                      feed={feed}
                      locale={i18n.locale}
                      current={sameStream(stream, { kind: "feed", id: feed.id })}
                    />
                  ))}
                </ul>
              )}
            </section>
          );
        })}
      </div>
      <footer>
        <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
          <Plus size={16} aria-hidden="true" />
          <Trans>Add a feed</Trans>
        </button>
        <IconButton
          label={t`Keyboard shortcuts`}
          command="help"
          icon={<CircleHelp />}
          onClick={() => runCommand("help")}
        />
        {hasMenus ? (
          <Suspense fallback={later}>
            <SettingsMenu onImport={onImport} />
          </Suspense>
        ) : (
          later
        )}
      </footer>
    </nav>
  );
}

interface StreamLinkProps {
  href: string;
  icon: ReactNode;
  name: string;
  current: boolean;
  count?: number | undefined;
  countName?: string;
}

function StreamLink({ href, icon, name, current, count, countName }: StreamLinkProps) {
  return (
    <li>
      <Link href={href} className="side-link" aria-current={current ? "page" : undefined}>
        {icon}
        <span className="name">{name}</span>
        {count !== undefined && count > 0 && (
          <span className="count">
            {shortCount(count)}
            <span className="sr-only"> {countName}</span>
          </span>
        )}
      </Link>
    </li>
  );
}

const FeedLink = memo(function FeedLink({
  feed,
  current,
  locale,
}: {
  feed: Feed;
  current: boolean;
  locale: string;
}) {
  const { t, i18n } = useLingui();
  const name = feedTitle(feed);
  return (
    <li>
      <Link
        href={readerPath({ kind: "feed", id: feed.id })}
        className="side-link"
        data-unread={feed.hasUnread}
        aria-current={current ? "page" : undefined}
        title={
          feed.error
            ? `${name}\n${i18n._(wordsFor(feed.error.code, feed.error.category).says)}`
            : name
        }
      >
        <LetterTile name={name} />
        <span className="name" lang={textLang(feed.language, name, locale)}>
          {name}
        </span>
        <FeedMark feed={feed} />
        {feed.unreadCount > 0 && (
          <span className="count">
            {shortCount(feed.unreadCount)}
            <span className="sr-only"> {t`unread`}</span>
          </span>
        )}
      </Link>
    </li>
  );
});

/** Never a lone sign: an icon and a word. */
function FeedMark({ feed }: { feed: Feed }) {
  if (feed.status === "waiting") {
    return (
      <span className="mark" data-kind="waiting">
        <Trans>waiting</Trans>
      </span>
    );
  }
  if (feed.status === "active") return null;
  return (
    <span className="mark">
      <TriangleAlert aria-hidden="true" />
      {feed.status === "stopped" ? <Trans>stopped</Trans> : <Trans>error</Trans>}
    </span>
  );
}

function SidebarSkeleton() {
  return (
    <div className="flex flex-col gap-3 p-2 pt-6" aria-hidden="true">
      {[60, 80, 50, 70, 65, 45].map((width) => (
        <div key={width} className="skeleton h-4" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** Arrows walk the links and folders, as in a tree; Tab still reaches each of them. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const focused = document.activeElement;
  if (step === 0 || !focused?.matches(".side-link,.folder")) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(".side-link,.folder")];
  const next = stops[stops.indexOf(focused as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
