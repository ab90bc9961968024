import { useLingui } from "@lingui/react/macro";
import { number } from "@/i18n/numbers";
import { DataTable } from "@/ui/data-table";
import { Link } from "@/ui/link";

interface Row {
  key: string;
  name: string;
  href: string | null;
  /** One for each unit; the first is shown as a bar too. */
  counts: readonly number[];
}

/** The highest counts, as a table with bars. */
export function Ranks(props: { title: string; units: readonly string[]; rows: readonly Row[] }) {
  const { title, units, rows } = props;
  const { i18n } = useLingui();
  const top = Math.max(1, ...rows.map(({ counts: [first = 0] }) => first));
  if (rows.length === 0) return null;
  const name = {
    title,
    isName: true,
    cell: ({ name, href, counts: [first = 0] }: Row) => (
      <>
        {href === null ? (
          <span className="name" dir="auto">
            {name}
          </span>
        ) : (
          <Link className="name" dir="auto" href={href}>
            {name}
          </Link>
        )}
        <span
          className="bar"
          aria-hidden="true"
          style={{ inlineSize: `${(100 * first) / top}%` }}
        />
      </>
    ),
  };
  const counted = units.map((unit, of) => ({
    title: unit,
    className: "num",
    cell: ({ counts }: Row) => number(counts[of] ?? 0, i18n.locale),
  }));
  return (
    <DataTable
      className="ranks"
      columns={[name, ...counted]}
      rows={rows}
      keyOf={({ key }) => key}
    />
  );
}
