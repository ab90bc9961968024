import { Trans } from "@lingui/react/macro";
import { useNotSaved } from "@/data/connection";
import type { ItemId } from "@/data/types";

/** Marks a row that cannot be opened offline. */
export function NotSaved({ id }: { id: ItemId }) {
  return (
    useNotSaved(id) && (
      <span className="not-saved">
        <Trans>not saved offline</Trans>
      </span>
    )
  );
}
