import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { TrendDay } from "@/data/watches";
import { money } from "@/i18n/money";
import { number } from "@/i18n/numbers";
import { DataTable } from "@/ui/data-table";
import { dayText } from "./trend-text";

/** The same data as the chart, the newest day first. */
export function TrendTable({ days, currency }: { days: readonly TrendDay[]; currency: string }) {
  const { t, i18n } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const amount = (value: number | null) =>
    value === null ? "–" : money(value, currency, i18n.locale);
  const amounts: [string, (day: TrendDay) => string][] = [
    [t`Lowest asking price`, (day) => amount(day.lowest)],
    ["25%", (day) => amount(day.p25)],
    [t`Median`, (day) => amount(day.median)],
    ["75%", (day) => amount(day.p75)],
    [t`On sale`, (day) => number(day.onSale, i18n.locale)],
    [t`Sold`, (day) => number(day.sold, i18n.locale)],
    [t`Median of sold`, (day) => amount(day.soldMedian)],
  ];
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Trans>Show as table</Trans>
      </summary>
      {isOpen && (
        <DataTable
          label={t`Prices by day`}
          columns={[
            { title: t`Day`, isName: true, cell: ({ day }) => dayText(day, i18n.locale, "long") },
            ...amounts.map(([title, cell]) => ({ title, className: "num", cell })),
          ]}
          rows={days.toReversed()}
          keyOf={({ day }) => day}
        />
      )}
    </details>
  );
}
