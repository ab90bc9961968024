import { Trans } from "@lingui/react/macro";
import { useBegun, usePart } from "@/data/stopped";
import type { ItemId } from "@/data/types";
import { MinutesLeft } from "./minutes-left";

/** A line over the article: how much of it is read. */
export function ReadLine({ id }: { id: ItemId }) {
  const part = usePart(id);
  return <div className="read-line" aria-hidden="true" style={{ inlineSize: `${part}%` }} />;
}

/** How long the rest takes of an article that is begun. */
export function TimeLeft({ id, minutes }: { id: ItemId; minutes: number | null }) {
  const part = useBegun(id);
  if (part === 0 || minutes === null) return null;
  return (
    <span className="time-left">
      <MinutesLeft minutes={minutes} part={part} />
    </span>
  );
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
