import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { Ref } from "react";
import type { Today } from "@/data/types";
import { number } from "@/i18n/numbers";
import { useNow } from "@/i18n/use-now";
import { runCommand } from "@/keys/use-command";
import { KeyHint } from "@/ui/key-hint";
import { Link } from "@/ui/link";
import { newSince, nothingSince, sinceAlone } from "./since-text";

/** Seconds to look at one row. */
const glance = 7.5;

interface Props {
  day: Today;
  /** How many of the new items are read, with those that were read since the answer. */
  seen: number;
  /** Of all feeds, whenever they came. */
  unread: number;
  isPhone: boolean;
  headingRef: Ref<HTMLHeadingElement>;
}

/** How far one is: the ring, what is new, and the way through it. */
export function Hero({ day, seen, unread, isPhone, headingRef }: Props) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const { newCount, since, isPartial } = day;
  const rest = Math.max(0, newCount - seen);
  const count = number(newCount, i18n.locale) + (isPartial ? "+" : "");
  const minutes = Math.max(1, Math.round((rest * glance) / 60));
  const skimming = plural(minutes, {
    one: "About # minute of skimming left",
    other: "About # minutes of skimming left",
  });
  const seenText = seen > 0 && t`${plural(seen, { one: "# seen", other: "# seen" })}`;

  // On phones the bar above is the heading of the page.
  const Heading = isPhone ? "h2" : "h1";
  const whole = newSince(count, since, now, i18n.locale);
  const [title, line] =
    rest > 0
      ? isPhone
        ? [t`${count} new`, [sinceAlone(since, now, i18n.locale), seenText]]
        : [whole, [seenText, skimming]]
      : [
          unread > 0 ? t`You have seen everything new` : t`You have seen everything`,
          [newCount > 0 ? whole : nothingSince(since, now, i18n.locale)],
        ];

  return (
    <header className="hero">
      <Ring share={newCount === 0 ? 1 : seen / newCount} name={t`${seen} of ${newCount} seen`} />
      <div>
        <Heading ref={headingRef} tabIndex={-1}>
          {title}
        </Heading>
        <p>
          {line.filter(Boolean).map((part) => (
            <span key={part as string}>{part}</span>
          ))}
        </p>
      </div>
      {rest > 0 ? (
        <button type="button" className="btn btn-main" onClick={() => runCommand("page.down")}>
          <Trans>Catch up</Trans>
          {!isPhone && <KeyHint command="page.down" />}
        </button>
      ) : (
        unread > 0 && (
          <Link className="btn" href="/all?f=unread">
            <Trans>Older unread: {number(unread, i18n.locale)}</Trans>
          </Link>
        )
      )}
    </header>
  );
}

function Ring({ share, name }: { share: number; name: string }) {
  const part = Math.round(100 * Math.min(1, share));
  return (
    <svg className="day-ring" viewBox="0 0 20 20" role="img" aria-label={name}>
      <circle className="track" cx="10" cy="10" r="8" />
      {part > 0 && (
        <circle
          className="done"
          cx="10"
          cy="10"
          r="8"
          pathLength="100"
          strokeDasharray={`${part} 100`}
        />
      )}
    </svg>
  );
}
