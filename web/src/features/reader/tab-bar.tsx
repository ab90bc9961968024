import { Trans, useLingui } from "@lingui/react/macro";
import {
  ArrowDown,
  ChevronLeft,
  Circle,
  CircleDot,
  ExternalLink,
  Inbox,
  LayoutList,
  Plus,
  Search,
  Star,
} from "lucide-react";
import { useFlags } from "@/data/flags";
import { useMe } from "@/data/me";
import { isSearch, type ReaderRoute } from "@/data/routes";
import type { ItemSummary } from "@/data/types";
import { closeSide, openSide } from "@/data/use-route";
import { runCommand } from "@/keys/use-command";
import { Link } from "@/ui/link";
import type { Actions } from "./actions";
import { OriginalLink } from "./original-link";

interface Props {
  route: ReaderRoute;
  isSideOpen: boolean;
  item: ItemSummary | undefined;
  hasNext: boolean;
  actions: Actions;
}

/** The bottom bar of phones: navigation, or the actions for an open item. */
export function TabBar({ route, isSideOpen, item, hasNext, actions }: Props) {
  const { t } = useLingui();
  const isSearchOff = useMe().data?.search === "off";
  if (route.item !== null && !isSideOpen) {
    return (
      <nav className="tabbar" aria-label={t`Article`}>
        <button type="button" onClick={() => runCommand("back")}>
          <ChevronLeft />
          <Trans>Back</Trans>
        </button>
        {item && <ItemButtons item={item} actions={actions} />}
        <button type="button" aria-disabled={!hasNext} onClick={() => runCommand("item.next")}>
          <ArrowDown />
          <Trans>Next</Trans>
        </button>
      </nav>
    );
  }
  const { stream, filter } = route;
  const isUnread = stream.kind === "all" && filter === "unread";
  const page = (here: boolean) => (here && !isSideOpen ? ("page" as const) : undefined);
  return (
    <nav className="tabbar" aria-label={t`Navigation`}>
      <button
        type="button"
        aria-pressed={isSideOpen}
        aria-current={isSideOpen ? "page" : undefined}
        onClick={isSideOpen ? closeSide : openSide}
      >
        <LayoutList />
        <Trans>Feeds</Trans>
      </button>
      <Link href="/all" aria-current={page(stream.kind === "all" && !isUnread)}>
        <Inbox />
        <Trans>All</Trans>
      </Link>
      <Link href="/all?f=unread" aria-current={page(isUnread)}>
        <CircleDot />
        <Trans>Unread</Trans>
      </Link>
      <Link href="/starred" aria-current={page(stream.kind === "starred")}>
        <Star />
        <Trans>Starred</Trans>
      </Link>
      {!isSearchOff && (
        <Link href="/search" aria-current={page(isSearch(stream))}>
          <Search />
          <Trans context="tab">Search</Trans>
        </Link>
      )}
      <button type="button" onClick={() => runCommand("feed.add")}>
        <Plus />
        <Trans>Add</Trans>
      </button>
    </nav>
  );
}

function ItemButtons({ item, actions }: { item: ItemSummary; actions: Actions }) {
  const { isRead, isStarred } = useFlags(item);
  return (
    <>
      <button
        type="button"
        aria-pressed={isStarred}
        data-on={isStarred ? "star" : undefined}
        onClick={() => actions.toggleStar(item)}
      >
        <Star fill={isStarred ? "currentColor" : "none"} />
        <Trans>Star</Trans>
      </button>
      <button type="button" onClick={() => actions.toggleRead(item)}>
        {isRead ? <Circle /> : <CircleDot />}
        {isRead ? <Trans>Mark unread</Trans> : <Trans>Mark read</Trans>}
      </button>
      {item.link && (
        <OriginalLink item={item}>
          <ExternalLink />
          <Trans>Original</Trans>
        </OriginalLink>
      )}
    </>
  );
}
