import { height, scaleOf, stepPath } from "./chart";

/** A small line of daily prices; words next to it say the same. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const known = values.filter((one) => one !== null);
  const scale = scaleOf(known);
  if (!scale || known.length < 2) return <span className="spark" aria-hidden="true" />;
  const tight = { ...scale, low: Math.min(...known), high: Math.max(...known) };
  const isLevel = tight.low === tight.high;
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${values.length} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={stepPath(values, isLevel ? scale : tight)} />
    </svg>
  );
}
