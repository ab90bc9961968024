import { useLingui } from "@lingui/react/macro";
import {
  CircleDot,
  Clock,
  PanelLeftOpen,
  Plus,
  Search,
  Settings,
  Star,
  Sun,
  Tags,
  TrendingUp,
} from "lucide-react";
import type { ReactNode } from "react";
import { feedTitle } from "@/data/feeds";
import { useMe } from "@/data/me";
import { readerPath } from "@/data/routes";
import type { Feed, FeedId, LabelId } from "@/data/types";
import { openSide } from "@/data/use-route";
import { runCommand } from "@/keys/use-command";
import { FeedIcon } from "@/ui/feed-icon";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { useMedia, wide } from "@/ui/use-media";
import { hideOrShow } from "./panes";

interface Props {
  /** The row of what is open (rows.ts). */
  current: string;
  readLater: LabelId | undefined;
  /** Those with unread articles, in the order of the side bar. */
  feeds: readonly Feed[];
  openFeed: FeedId | null;
}

/** The collapsed side bar: the places, then the icons of feeds. */
export function Rail({ current, readLater, feeds, openFeed }: Props) {
  const { t } = useLingui();
  const isWide = useMedia(wide);
  const isSearchOff = useMe().data?.search === "off";
  const place = (row: string, href: string, icon: ReactNode, name: string) => (
    <RailLink href={href} name={name} isCurrent={current === row}>
      {icon}
    </RailLink>
  );
  return (
    <nav className="rail" aria-label={t`Navigation`}>
      <IconButton
        label={t`Show feeds`}
        command="pane.side"
        icon={<PanelLeftOpen />}
        onClick={() => (isWide ? hideOrShow("side") : openSide())}
      />
      <div className="rail-places">
        {place("today", "/", <Sun />, t`Today`)}
        {place("unread", "/all?f=unread", <CircleDot />, t`Unread`)}
        {readLater &&
          place("later", readerPath({ kind: "label", id: readLater }), <Clock />, t`Read later`)}
        {place("starred", "/starred", <Star />, t`Starred`)}
        {place("explore", "/my/popular/hot", <TrendingUp />, t`Popular`)}
        {place("watches", "/watches", <Tags />, t`Watches`)}
        {!isSearchOff && place("search", "/search", <Search />, t`Search`)}
        {feeds.map((feed) => (
          <RailLink
            key={feed.id}
            href={readerPath({ kind: "feed", id: feed.id })}
            name={feedTitle(feed)}
            isCurrent={feed.id === openFeed}
          >
            <FeedIcon url={feed.iconUrl} name={feedTitle(feed)} />
          </RailLink>
        ))}
      </div>
      <IconButton
        label={t`Add a feed`}
        command="feed.add"
        icon={<Plus />}
        onClick={() => runCommand("feed.add")}
      />
      <IconButton
        label={t`Settings`}
        command="go.settings"
        icon={<Settings />}
        onClick={() => runCommand("go.settings")}
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
