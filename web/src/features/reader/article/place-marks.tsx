import { Trans } from "@lingui/react/macro";
import { usePart } from "@/data/stopped";
import type { ItemId } from "@/data/types";

/** A line over the article: how much of it is read. */
export function ReadLine({ id }: { id: ItemId }) {
  const part = usePart(id);
  return <div className="read-line" aria-hidden="true" style={{ inlineSize: `${part}%` }} />;
}

/** Says for some seconds that the text was continued. */
export function ContinuedNote({ onTop }: { onTop: () => void }) {
  return (
    <p className="continued-note" role="status">
      <Trans>Continued where you stopped</Trans>
      <button type="button" className="link-btn" onClick={onTop}>
        <Trans>Back to the top</Trans>
      </button>
    </p>
  );
}
