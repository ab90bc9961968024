import { Trans, useLingui } from "@lingui/react/macro";
import { type PointerEvent, useState } from "react";
import type { TrendDay } from "@/data/watches";
import { decimalsOf, money } from "@/i18n/money";
import {
  amountsOf,
  bandPath,
  dotPath,
  height,
  labelledDays,
  type Scale,
  scaleOf,
  stepPath,
  y,
} from "@/ui/chart";
import { dayEnd, dayText, pointText } from "./trend-text";

interface Props {
  days: readonly TrendDay[];
  currency: string;
}

/**
 * The lowest asking price as a line in steps, the middle half of the asking prices as a band, and medians of what was sold
 * as dots. A slider over it moves along the days: its value is the sentence about the day.
 */
export function TrendChart({ days, currency }: Props) {
  const { t, i18n } = useLingui();
  const [chosen, setChosen] = useState(days.length - 1);
  const at = Math.min(chosen, days.length - 1);
  const scale = scaleOf(amountsOf(days), 10 ** decimalsOf(currency));
  const day = days[at];
  if (!scale || !day) return null;
  const text = pointText(day, currency, i18n);
  const point = (event: PointerEvent<HTMLInputElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - left) / width;
    setChosen(Math.max(0, Math.min(days.length - 1, Math.floor(share * days.length))));
  };
  return (
    <figure className="trend-chart">
      <figcaption>
        <Keys />
      </figcaption>
      <div className="plot">
        <div className="axis" aria-hidden="true">
          {scale.ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${height - y(tick, scale)}%` }}>
              <b>{money(tick, currency, i18n.locale)}</b>
            </span>
          ))}
        </div>
        <div className="area">
          <Drawing days={days} scale={scale} at={at} />
          <input
            type="range"
            min={0}
            max={days.length - 1}
            value={at}
            aria-label={t`Day`}
            aria-valuetext={text}
            onChange={(event) => setChosen(Number(event.target.value))}
            onPointerMove={point}
            onPointerDown={point}
          />
        </div>
        <div className="days" aria-hidden="true">
          {labelledDays(days.length, 6).map((one) => (
            <span key={one} style={{ left: `${(100 * (one + 0.5)) / days.length}%` }}>
              {dayText(days[one]?.day ?? "", i18n.locale, "short")}
            </span>
          ))}
        </div>
      </div>
      {/* The slider says it. */}
      <p className="point" aria-hidden="true">
        {text}
      </p>
    </figure>
  );
}

function Drawing({ days, scale, at }: { days: readonly TrendDay[]; scale: Scale; at: number }) {
  const lowest = days.map((day) => day.lowest);
  const here = days.map((day, index) => (index === at ? day : null));
  return (
    <svg
      viewBox={`0 0 ${days.length} ${height}`}
      preserveAspectRatio="none"
      data-many={days.length > 120 || undefined}
      aria-hidden="true"
      focusable="false"
    >
      {scale.ticks.map((tick) => (
        <path key={tick} className="grid" d={`M0 ${y(tick, scale)}H${days.length}`} />
      ))}
      <path
        className="band"
        d={bandPath(
          days.map((day) => day.p25),
          days.map((day) => day.p75),
          scale,
        )}
      />
      <path className="line" d={stepPath(lowest, scale)} />
      <path
        className="sold"
        d={dotPath(
          days.map((day) => day.soldMedian),
          scale,
        )}
      />
      <path className="cursor" d={`M${at + 0.5} 0V${height}`} />
      <path
        className="here"
        d={dotPath(
          here.map((day) => day?.lowest ?? null),
          scale,
        )}
      />
    </svg>
  );
}

/** What the marks mean. */
function Keys() {
  const { i18n } = useLingui();
  const end = dayEnd(Date.now(), i18n.locale);
  return (
    <ul className="keys">
      <li data-mark="line">
        <i aria-hidden="true" />
        <Trans>Lowest asking price</Trans>
      </li>
      <li data-mark="band">
        <i aria-hidden="true" />
        <Trans>Middle half of asking prices</Trans>
      </li>
      <li data-mark="sold">
        <i aria-hidden="true" />
        <Trans>Median of sold</Trans>
      </li>
      <li>
        <Trans>Each day ends at {end}.</Trans>
      </li>
    </ul>
  );
}
