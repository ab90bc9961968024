import { useLingui } from "@lingui/react/macro";
import { CircleDot, Inbox, PanelLeftOpen, Plus, Search, Star } from "lucide-react";
import type { ReactNode } from "react";
import { useMe } from "@/data/me";
import { isSearch, type ReaderRoute } from "@/data/routes";
import { openSide } from "@/data/use-route";
import { runCommand } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { useMedia, wide } from "@/ui/use-media";
import { hideOrShow } from "./panes";

/** The collapsed side bar. */
export function Rail({ route }: { route: ReaderRoute }) {
  const { t } = useLingui();
  const isWide = useMedia(wide);
  const isSearchOff = useMe().data?.search === "off";
  const { stream, filter } = route;
  const isUnread = stream.kind === "all" && filter === "unread";
  return (
    <nav className="rail" aria-label={t`Navigation`}>
      <IconButton
        label={t`Show feeds`}
        command="pane.side"
        icon={<PanelLeftOpen />}
        onClick={() => (isWide ? hideOrShow("side") : openSide())}
      />
      <RailLink href="/all" name={t`All`} isCurrent={stream.kind === "all" && !isUnread}>
        <Inbox />
      </RailLink>
      <RailLink href="/all?f=unread" name={t`Unread`} isCurrent={isUnread}>
        <CircleDot />
      </RailLink>
      <RailLink href="/starred" name={t`Starred`} isCurrent={stream.kind === "starred"}>
        <Star />
      </RailLink>
      {!isSearchOff && (
        <RailLink href="/search" name={t`Search`} isCurrent={isSearch(stream)}>
          <Search />
        </RailLink>
      )}
      <IconButton
        label={t`Add a feed`}
        command="feed.add"
        icon={<Plus />}
        className="mt-auto"
        onClick={() => runCommand("feed.add")}
      />
    </nav>
  );
}

interface RailLinkProps {
  href: string;
  name: string;
  isCurrent: boolean;
  children: ReactNode;
}

function RailLink({ href, name, isCurrent, children }: RailLinkProps) {
  return (
    <Link
      href={href}
      className="icon-btn"
      aria-label={name}
      title={name}
      aria-current={isCurrent ? "page" : undefined}
    >
      {children}
    </Link>
  );
}
