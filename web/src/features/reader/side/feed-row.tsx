import { Trans, useLingui } from "@lingui/react/macro";
import { TriangleAlert, VolumeX } from "lucide-react";
import { memo } from "react";
import { feedTitle } from "@/data/feeds";
import { readerPath } from "@/data/routes";
import type { Feed, FolderId } from "@/data/types";
import { textLang } from "@/i18n/text-lang";
import { FeedIcon } from "@/ui/feed-icon";
import { Row } from "./row";
import { feedRow } from "./rows";
import { countOf } from "./tree";

interface Props {
  feed: Feed;
  folder: FolderId | null;
  depth: number;
  isCurrent: boolean;
  isStop: boolean;
  locale: string;
}

export const FeedRow = memo(function FeedRow({ feed, folder, locale, ...rest }: Props) {
  const name = feedTitle(feed);
  return (
    <li>
      <Row
        row={feedRow(feed.id, folder)}
        href={readerPath({ kind: "feed", id: feed.id })}
        icon={<FeedIcon url={feed.iconUrl} name={name} />}
        name={name}
        lang={textLang(feed.language, name, locale)}
        title={feed.error ? `${name}\n${feed.error.message}` : name}
        isUnread={feed.hasUnread && !feed.isMuted}
        count={countOf(feed)}
        mark={<FeedMark feed={feed} />}
        hasMenu
        {...rest}
      />
    </li>
  );
});

/** The state of a feed, as an icon and a word. */
function FeedMark({ feed }: { feed: Feed }) {
  const { t } = useLingui();
  if (feed.status === "waiting") {
    return (
      <span className="mark" data-kind="waiting">
        <Trans>Waiting</Trans>
      </span>
    );
  }
  if (feed.status !== "active") {
    return (
      <span className="mark">
        <TriangleAlert />
        {feed.status === "stopped" ? <Trans>Stopped</Trans> : <Trans>Error</Trans>}
      </span>
    );
  }
  if (!feed.isMuted) return null;
  return (
    <span className="mark" data-kind="muted" title={t`Muted`}>
      <VolumeX />
      <span className="sr-only">
        <Trans>Muted</Trans>
      </span>
    </span>
  );
}
