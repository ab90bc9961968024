import { useBegun } from "@/data/stopped";
import type { ItemId } from "@/data/types";

/** The least length of the arc in hundredths, so that it can be seen. */
const least = 12;

/** The state of an item before its title: a dot, or a ring that fills once the item is begun. */
export function StateDot({ id }: { id: ItemId }) {
  const part = useBegun(id);
  if (part === 0) return <span className="dot" aria-hidden="true" />;
  return <PartRing part={Math.max(part, least)} />;
}

/** So many hundredths of something. */
export function PartRing({ part }: { part: number }) {
  return (
    <svg className="part-ring" viewBox="0 0 20 20" aria-hidden="true" data-part={part}>
      <circle className="track" cx="10" cy="10" r="8" />
      <circle
        className="arc"
        cx="10"
        cy="10"
        r="8"
        pathLength="100"
        strokeDasharray={`${part} 100`}
      />
    </svg>
  );
}
