import { Plural } from "@lingui/react/macro";

/** How long the rest takes of an article of so many minutes that is read to that part, in percent. */
export function MinutesLeft({ minutes, part }: { minutes: number; part: number }) {
  const left = Math.max(1, Math.round(minutes * (1 - part / 100)));
  return <Plural value={left} one="# min left" other="# min left" />;
}
