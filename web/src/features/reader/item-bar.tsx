import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowDown, ChevronLeft, Circle, CircleDot, ExternalLink, Star } from "lucide-react";
import { useFlags } from "@/data/flags";
import type { ItemSummary } from "@/data/types";
import { runCommand } from "@/keys/use-command";
import type { Actions } from "./actions";
import { OriginalLink } from "./original-link";

interface Props {
  item: ItemSummary | undefined;
  hasNext: boolean;
  actions: Actions;
}

/** The bottom bar of phones for an open item. */
export function ItemBar({ item, hasNext, actions }: Props) {
  const { t } = useLingui();
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
