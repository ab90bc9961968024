import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { TrendDay } from "@/data/watches";
import { money } from "@/i18n/money";
import { number } from "@/i18n/numbers";
import { dayText } from "./trend-text";

/** The same data as the chart, the newest day first. */
export function TrendTable({ days, currency }: { days: readonly TrendDay[]; currency: string }) {
  const { t, i18n } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const amount = (value: number | null) =>
    value === null ? "–" : money(value, currency, i18n.locale);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Trans>Show as table</Trans>
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a table that is too wide
        <section className="table-box" tabIndex={0} aria-label={t`Prices by day`}>
          <table>
            <thead>
              <tr>
                <th scope="col">
                  <Trans>Day</Trans>
                </th>
                <th scope="col" className="num">
                  <Trans>Lowest asking price</Trans>
                </th>
                <th scope="col" className="num">
                  25%
                </th>
                <th scope="col" className="num">
                  <Trans>Median</Trans>
                </th>
                <th scope="col" className="num">
                  75%
                </th>
                <th scope="col" className="num">
                  <Trans>On sale</Trans>
                </th>
                <th scope="col" className="num">
                  <Trans>Sold</Trans>
                </th>
                <th scope="col" className="num">
                  <Trans>Median of sold</Trans>
                </th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((day) => (
                <tr key={day.day}>
                  <th scope="row">{dayText(day.day, i18n.locale, "long")}</th>
                  <td className="num">{amount(day.lowest)}</td>
                  <td className="num">{amount(day.p25)}</td>
                  <td className="num">{amount(day.median)}</td>
                  <td className="num">{amount(day.p75)}</td>
                  <td className="num">{number(day.onSale, i18n.locale)}</td>
                  <td className="num">{number(day.sold, i18n.locale)}</td>
                  <td className="num">{amount(day.soldMedian)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
