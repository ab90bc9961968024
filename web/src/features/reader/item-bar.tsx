import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowDown, ChevronLeft, Circle, CircleDot, Clock, Star } from "lucide-react";
import { useFlags } from "@/data/flags";
import { usePart } from "@/data/stopped";
import type { ItemSummary } from "@/data/types";
import { runCommand } from "@/keys/use-command";
import { PartRing } from "@/ui/state-dot";
import type { Actions } from "./actions";
import { useIsLater } from "./use-is-later";

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
        <span className="next-ring">
          {item && <ReadRing item={item} />}
          <ArrowDown />
        </span>
        <Trans>Next</Trans>
      </button>
    </nav>
  );
}

/** Full where the text ends: then the next article is due. */
function ReadRing({ item }: { item: ItemSummary }) {
  return <PartRing part={usePart(item.id)} />;
}

function ItemButtons({ item, actions }: { item: ItemSummary; actions: Actions }) {
  const { isRead, isStarred } = useFlags(item);
  const isLater = useIsLater(item.id);
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
      <button type="button" aria-pressed={isLater} onClick={() => actions.toggleLater(item)}>
        <Clock />
        <Trans>Later</Trans>
      </button>
      <button type="button" onClick={() => actions.toggleRead(item)}>
        {isRead ? <Circle /> : <CircleDot />}
        {isRead ? <Trans>Mark unread</Trans> : <Trans>Mark read</Trans>}
      </button>
    </>
  );
}
