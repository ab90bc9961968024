import { Trans, useLingui } from "@lingui/react/macro";
import { Bookmark, CircleDot, LayoutList, Search, Sun } from "lucide-react";
import { useMe } from "@/data/me";
import { isSearch, type Route, readerPath } from "@/data/routes";
import { readLaterOf, useKnownTree } from "@/data/tree";
import { closeSide, openSide } from "@/data/use-route";
import { Link } from "@/ui/link";

/** The bottom bar of phones, on every screen. */
export function TabBar({ route, isSideOpen }: { route: Route; isSideOpen: boolean }) {
  const { t } = useLingui();
  const isSearchOff = useMe().data?.search === "off";
  const later = readLaterOf(useKnownTree().labels);
  const stream = route.screen === "reader" ? route.stream : null;
  const isUnread = route.screen === "reader" && route.filter === "unread" && stream?.kind === "all";
  const page = (here: boolean) => (here && !isSideOpen ? ("page" as const) : undefined);
  return (
    <nav className="tabbar" aria-label={t`Navigation`}>
      <Link href="/" aria-current={page(stream?.kind === "today")}>
        <Sun />
        <Trans>Today</Trans>
      </Link>
      <button
        type="button"
        aria-pressed={isSideOpen}
        aria-current={isSideOpen ? "page" : undefined}
        onClick={isSideOpen ? closeSide : openSide}
      >
        <LayoutList />
        <Trans>Feeds</Trans>
      </button>
      <Link href="/all?f=unread" aria-current={page(isUnread)}>
        <CircleDot />
        <Trans>Unread</Trans>
      </Link>
      {!isSearchOff && (
        <Link href="/search" aria-current={page(stream !== null && isSearch(stream))}>
          <Search />
          <Trans>Search</Trans>
        </Link>
      )}
      <Link
        href={later ? readerPath({ kind: "label", id: later.id }) : "/starred"}
        aria-current={page(stream?.kind === "starred" || stream?.kind === "label")}
      >
        <Bookmark />
        <Trans>Saved</Trans>
      </Link>
    </nav>
  );
}
