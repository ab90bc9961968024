import { Trans, useLingui } from "@lingui/react/macro";
import { TriangleAlert, VolumeX } from "lucide-react";
import { memo } from "react";
import { feedTitle } from "@/data/feeds";
import { readerPath } from "@/data/routes";
import type { Feed, FolderId } from "@/data/types";
import { wordsFor } from "@/i18n/error-words";
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
  const { i18n } = useLingui();
  const name = feedTitle(feed);
  const trouble = feed.error && i18n._(wordsFor(feed.error.code, feed.error.category).says);
  return (
    <li>
      <Row
        row={feedRow(feed.id, folder)}
        href={readerPath({ kind: "feed", id: feed.id })}
        icon={<FeedIcon url={feed.iconUrl} name={name} />}
        name={name}
        lang={textLang(feed.language, name, locale)}
        title={trouble ? `${name}\n${trouble}` : name}
        isUnread={feed.hasUnread && !feed.isMuted}
        count={countOf(feed)}
        mark={<FeedMark feed={feed} />}
        hasMenu
        {...rest}
      />
    </li>
  );
});

/** Never a lone sign: an icon and a word. */
function FeedMark({ feed }: { feed: Feed }) {
  const { t } = useLingui();
  if (feed.status === "waiting") {
    return (
      <span className="mark" data-kind="waiting">
        <Trans>waiting</Trans>
      </span>
    );
  }
  if (feed.status !== "active") {
    return (
      <span className="mark">
        <TriangleAlert aria-hidden="true" />
        {feed.status === "stopped" ? <Trans>stopped</Trans> : <Trans>error</Trans>}
      </span>
    );
  }
  if (!feed.isMuted) return null;
  return (
    <span className="mark" data-kind="muted" title={t`Muted`}>
      <VolumeX aria-hidden="true" />
      <span className="sr-only">
        <Trans>muted</Trans>
      </span>
    </span>
  );
}
