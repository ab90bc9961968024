import { Trans } from "@lingui/react/macro";
import { useIsPinned } from "@/data/pinned";
import type { ItemId } from "@/data/types";

/** Marks a row whose item is pinned. */
export function PinMark({ id }: { id: ItemId }) {
  return (
    useIsPinned(id) && (
      <span className="pinned">
        <Trans>pinned</Trans>
      </span>
    )
  );
}
