/** Intl instances are expensive to create. */
const cache = new Map<string, unknown>();

export function cached<T>(key: string, make: () => T): T {
  let value = cache.get(key) as T | undefined;
  if (value === undefined) {
    value = make();
    cache.set(key, value);
  }
  return value;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "3 hr. ago" up to six days, then the date; the year only when it is another. */
export function relativeTime(iso: string, now: number, locale: string, timeZone?: string): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return "";
  const past = now - then;
  const ago = Math.abs(past);
  const zone = timeZone ? { timeZone } : {};
  if (ago < 7 * day) {
    const format = cached(
      `r|${locale}`,
      () => new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" }),
    );
    const [unit, size] =
      ago < hour
        ? (["minute", minute] as const)
        : ago < day
          ? (["hour", hour] as const)
          : (["day", day] as const);
    if (ago < minute)
      return cached(
        `n|${locale}`,
        () => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }),
      ).format(0, "second");
    const text = format.format(-Math.sign(past) * Math.floor(ago / size), unit);
    // As everywhere else on the page: "5分前".
    return locale === "ja" ? text.replace(" ", "") : text;
  }
  const year = cached(
    `y|${timeZone}`,
    () => new Intl.DateTimeFormat("en", { year: "numeric", ...zone }),
  );
  const same = year.format(then) === year.format(now);
  return cached(
    `d|${locale}|${same}|${timeZone}`,
    () =>
      new Intl.DateTimeFormat(locale, {
        month: "short",
        day: "numeric",
        ...(same ? {} : { year: "numeric" }),
        ...zone,
      }),
  ).format(then);
}

/** "4m", "2h", the weekday within a week, then the date: for a column of 44 px. */
export function shortTime(iso: string, now: number, locale: string, timeZone?: string): string {
  const then = Date.parse(iso);
  const ago = Math.abs(now - then);
  if (Number.isNaN(then)) return "";
  const isJapanese = locale === "ja";
  if (ago < day) {
    const unit = ago < hour ? "minute" : "hour";
    const size = unit === "hour" ? hour : minute;
    const format = cached(
      `s|${locale}|${unit}`,
      () =>
        new Intl.NumberFormat(locale, {
          style: "unit",
          unit,
          unitDisplay: isJapanese ? "short" : "narrow",
        }),
    );
    return format.format(Math.max(1, Math.floor(ago / size))).replace(" ", "");
  }
  const zone = timeZone ? { timeZone } : {};
  if (ago < 7 * day)
    return cached(
      `sw|${locale}|${timeZone}`,
      () => new Intl.DateTimeFormat(locale, { weekday: "short", ...zone }),
    ).format(then);
  if (ago < 365 * day)
    return cached(
      `sd|${locale}|${timeZone}`,
      () =>
        new Intl.DateTimeFormat(locale, {
          month: isJapanese ? "numeric" : "short",
          day: "numeric",
          ...zone,
        }),
    ).format(then);
  return cached(
    `sy|${timeZone}`,
    () => new Intl.DateTimeFormat("en", { year: "numeric", ...zone }),
  ).format(then);
}

/** The beginning of its day in the local time zone; 0 for an invalid time. */
export function dayOf(iso: string): number {
  return new Date(iso).setHours(0, 0, 0, 0) || 0;
}

/** A day as a heading: "today", "yesterday", then the date with its weekday; the year only when it is another. */
export function dayName(start: number, today: number, locale: string): string {
  // Days are not always 24 hours long.
  const days = Math.round((start - today) / day);
  if (days === 0 || days === -1)
    return cached(
      `n|${locale}`,
      () => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }),
    ).format(days, "day");
  const same = new Date(start).getFullYear() === new Date(today).getFullYear();
  return cached(
    `w|${locale}|${same}`,
    () =>
      new Intl.DateTimeFormat(locale, {
        weekday: same ? "long" : "short",
        month: "long",
        day: "numeric",
        ...(same ? {} : { year: "numeric" }),
      }),
  ).format(start);
}

export function absoluteTime(iso: string, locale: string, timeZone?: string): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return "";
  return cached(
    `a|${locale}|${timeZone}`,
    () =>
      new Intl.DateTimeFormat(locale, {
        dateStyle: "long",
        timeStyle: "short",
        ...(timeZone ? { timeZone } : {}),
      }),
  ).format(then);
}
