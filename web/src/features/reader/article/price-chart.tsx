import { useLingui } from "@lingui/react/macro";
import { cached } from "@/i18n/format";
import { money } from "@/i18n/money";
import { dotPath, height, stepPath } from "@/ui/chart";

const day = 86_400_000;

interface Props {
  /** The price on each day, the last one today. */
  values: readonly (number | null)[];
  currency: string;
  now: number;
}

/** The price of one thing over some days; its place is there before the prices are. */
export function PriceChart({ values, currency, now }: Props) {
  const { t, i18n } = useLingui();
  const known = values.filter((one) => one !== null);
  const [least, most] = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [0, 0];
  const isLevel = least === most;
  const scale = isLevel ? { low: least - 1, high: most + 1 } : { low: least, high: most };
  const amounts = isLevel ? [most] : [most, Math.round((most + least) / 2), least];
  const text = (amount: number) => money(amount, currency, i18n.locale);
  const dates = cached(
    `pc|${i18n.locale}`,
    () => new Intl.DateTimeFormat(i18n.locale, { month: "short", day: "numeric" }),
  );
  const before = (share: number) => dates.format(now - share * (values.length - 1) * day);
  const [low, high] = [text(least), text(most)];
  const width = values.length;
  return (
    <div className="price-chart" data-empty={known.length === 0 || undefined}>
      <div className="amounts" aria-hidden="true">
        {amounts.map((one) => (
          <span key={one}>{text(one)}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={isLevel ? low : t`${low} to ${high}`}
      >
        <path className="grid" d={`M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}`} />
        {known.length > 0 && (
          <>
            <path d={stepPath(values, { ...scale, ticks: [] })} />
            <path
              className="last"
              d={dotPath(
                values.map((one, at) => (at === width - 1 ? one : null)),
                { ...scale, ticks: [] },
              )}
            />
          </>
        )}
      </svg>
      <div className="dates" aria-hidden="true">
        <span>{before(1)}</span>
        <span>{before(0.5)}</span>
        <span>{t`Today`}</span>
      </div>
    </div>
  );
}
