import { useDelayed } from "@/ui/use-delayed";

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
  const isSlow = useDelayed(true);
  if (!isSlow) return null;
  return (
    <div className="article">
      <div className="skeleton mb-6 h-8 w-3/4" aria-hidden="true" />
      <BodyLines />
    </div>
  );
}
