import { Trans } from "@lingui/react/macro";
import {
  ArrowDownToLine,
  ArrowUpToLine,
  Circle,
  CircleDot,
  Clock,
  ExternalLink,
  Pin,
  PinOff,
  Send,
  Star,
} from "lucide-react";
import { useFlags } from "@/data/flags";
import type { Part } from "@/data/mutations/mark-read";
import { useIsPinned } from "@/data/pinned";
import { sending } from "@/data/sending";
import type { ItemSummary } from "@/data/types";
import { itemName } from "@/i18n/item-name";
import { MenuItem, MenuList } from "@/ui/menu";
import { MarkOlder } from "./mark-older";
import { OriginalLink } from "./original-link";
import { useIsLater } from "./use-is-later";

interface Props {
  item: ItemSummary;
  /** Its index in the list, and the number of loaded items. */
  index: number;
  count: number;
  opener: HTMLElement;
  /** Where the pointer is; else it opens at the opener. */
  at?: { x: number; y: number } | undefined;
  onStar: (item: ItemSummary) => void;
  onRead: (item: ItemSummary) => void;
  onLater: (item: ItemSummary) => void;
  onPin: (item: ItemSummary) => void;
  onMark: (part: Part) => void;
  onClose: () => void;
}

const width = 288;
/** About how high it is, for a mouse and for fingers. */
const heights = { fine: 400, coarse: 528 };

/** The actions for an item in the list. */
export function ItemMenu({ item, index, count, opener, at: pointer, onClose, ...on }: Props) {
  const { isRead, isStarred } = useFlags(item);
  const isPinned = useIsPinned(item.id);
  const isLater = useIsLater(item.id);
  const at = opener.getBoundingClientRect();
  const height = matchMedia("(pointer: coarse)").matches ? heights.coarse : heights.fine;
  const room = { x: innerWidth - width - 8, y: innerHeight - height - 8 };
  const left = pointer?.x ?? (opener.matches("button") ? at.right - width : at.left + 32);
  const top = Math.max(8, Math.min(pointer?.y ?? at.bottom + 4, room.y));
  const close = (giveBack = true) => {
    onClose();
    if (giveBack) (opener.closest<HTMLElement>(".row") ?? opener).focus({ preventScroll: true });
  };
  const then = (run: () => void) => () => {
    close();
    run();
  };
  return (
    <MenuList
      label={itemName(item)}
      className="item-menu"
      style={{
        insetInlineStart: Math.max(8, Math.min(left, room.x)),
        insetBlockStart: top,
        // With large text it scrolls.
        maxBlockSize: `calc(100dvb - ${top + 8}px)`,
      }}
      opener={null}
      onClose={close}
    >
      <MenuItem
        icon={<Star fill={isStarred ? "currentColor" : "none"} />}
        onClick={then(() => on.onStar(item))}
      >
        {isStarred ? <Trans>Remove star</Trans> : <Trans>Star</Trans>}
      </MenuItem>
      <MenuItem icon={isRead ? <CircleDot /> : <Circle />} onClick={then(() => on.onRead(item))}>
        {isRead ? <Trans>Mark as unread</Trans> : <Trans>Mark as read</Trans>}
      </MenuItem>
      <MenuItem icon={<Clock />} onClick={then(() => on.onLater(item))}>
        {isLater ? <Trans>Remove from Read later</Trans> : <Trans>Read later</Trans>}
      </MenuItem>
      {item.link && (
        <MenuItem icon={isPinned ? <PinOff /> : <Pin />} onClick={then(() => on.onPin(item))}>
          {isPinned ? <Trans>Unpin</Trans> : <Trans>Pin</Trans>}
        </MenuItem>
      )}
      <MenuItem icon={<Send />} onClick={then(() => sending.set(item))}>
        <Trans>Send to…</Trans>
      </MenuItem>
      <hr />
      {index > 0 && (
        <MenuItem icon={<ArrowUpToLine />} onClick={then(() => on.onMark({ above: index }))}>
          <Trans>Mark above as read</Trans>
        </MenuItem>
      )}
      {index < count - 1 && (
        <MenuItem icon={<ArrowDownToLine />} onClick={then(() => on.onMark({ below: index }))}>
          <Trans>Mark below as read</Trans>
        </MenuItem>
      )}
      <MarkOlder then={then} />
      {item.link && (
        <>
          <hr />
          <OriginalLink item={item} role="menuitem" tabIndex={-1} onClick={() => close()}>
            <ExternalLink />
            <Trans>Open original</Trans>
          </OriginalLink>
        </>
      )}
    </MenuList>
  );
}
