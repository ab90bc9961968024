import { expect, it } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { type FeedList, withChanges } from "./feed-delta";

/** Numbers from 0 to below n, the same in every run (mulberry32). */
function randomFrom(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

it.each([1, 2, 3])("gives the whole list after any changes (%i)", (seed) => {
  const random = randomFrom(seed);
  const server = new Map<string, { position: number; unreadCount: number; changed: number }>();
  let generation = 0;
  const change = () => {
    const id = String(1 + random(120));
    if (random(4) === 0) server.delete(id);
    else server.set(id, { position: random(3), unreadCount: random(9), changed: generation });
  };
  const answer = (since: number, known: readonly string[]): FeedList & { removed: string[] } => ({
    feeds: [...server]
      .filter(([, { changed }]) => changed > since)
      .sort(([a, x], [b, y]) => x.position - y.position || Number(a) - Number(b))
      .map(([id, { position, unreadCount }]) => aFeed({ id, position, unreadCount })),
    removed: known.filter((id) => !server.has(id)),
    totals: { feeds: server.size, unread: generation, starred: 0 },
    limits: { feeds: 100 },
  });
  let [list, since]: [FeedList, number] = [answer(-1, []), 0];
  for (generation = 1; generation < 200; generation++) {
    for (let n = random(5); n > 0; n--) change();
    if (random(3) === 0) continue;
    const ids = list.feeds.map(({ id }) => id);
    list = withChanges(list, answer(since, ids));
    since = generation;
    const { removed: _, ...whole } = answer(-1, []);
    expect(list).toEqual(whole);
  }
});
