import { Trans } from "@lingui/react/macro";
import { useNotSaved } from "@/data/connection";
import type { ItemId } from "@/data/types";

/** Said of a row that cannot be opened while there is no network. */
export function NotSaved({ id }: { id: ItemId }) {
  return (
    useNotSaved(id) && (
      <span className="not-saved">
        <Trans>not saved</Trans>
      </span>
    )
  );
}
