import { useLate } from "@/ui/use-late";

export function BodyLines() {
  return (
    <div className="flex flex-col gap-3" aria-hidden="true">
      <div className="skeleton h-4 w-full" />
      <div className="skeleton h-4 w-11/12" />
      <div className="skeleton h-4 w-2/3" />
    </div>
  );
}

/** A deep link of which nothing is known yet. */
export function WholeSkeleton() {
  const late = useLate(true);
  if (!late) return null;
  return (
    <div className="article">
      <div className="skeleton mb-6 h-8 w-3/4" aria-hidden="true" />
      <BodyLines />
    </div>
  );
}
