import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components, paths } from "./api.gen";
import { api } from "./client";
import { feedsKey } from "./feeds";
import { placeOf } from "./place";
import { streamsKey } from "./stream";
import { takeTurns } from "./turns";
import type { FeedId, FolderId, ItemSummary } from "./types";

export type Rules = components["schemas"]["Rules"];
export type Rule = components["schemas"]["Rule"];
export type Condition = Rule["conditions"][number];
export type RulePart = components["schemas"]["RulePart"];

export const rulesQuery = queryOptions({
  queryKey: ["rules"] as const,
  queryFn: ({ signal }) => api.get("/api/rules", { signal }),
  staleTime: 60_000,
});

export function useRules() {
  return useQuery(rulesQuery);
}

/** Changes on their way. Each is made upon the revision that the one before gave: together they would refuse each other. */
let waiting = 0;
const inTurn = takeTurns();

/** All rules are replaced at once, because their order is part of what they do; what was not taken is not shown. */
export async function saveRules(client: QueryClient, list: readonly Rule[]): Promise<Rule[]> {
  const { queryKey } = rulesQuery;
  const before = client.getQueryData(queryKey) ?? (await client.fetchQuery(rulesQuery));
  client.setQueryData(queryKey, { ...before, rules: [...list] });
  waiting += 1;
  return inTurn(async () => {
    try {
      const { revision } = client.getQueryData(queryKey) ?? before;
      const body = { rules: list.map(withoutSince), revision };
      const saved = await api.put("/api/rules", { body });
      // What the next one shows stays.
      client.setQueryData(queryKey, (now) =>
        now && waiting > 1 ? { ...saved, rules: now.rules } : saved,
      );
      return saved.rules;
    } catch (cause) {
      client.setQueryData(queryKey, (now) => ({
        ...before,
        revision: now?.revision ?? before.revision,
      }));
      // Changed elsewhere: what is there now is what the person has to decide about.
      void client.invalidateQueries({ queryKey });
      throw cause;
    } finally {
      waiting -= 1;
    }
  });
}

/** From when a rule applies is the server's to say. */
function withoutSince({ appliesSince: _, ...rule }: Rule): Rule {
  return rule;
}

type Try = paths["/api/rules/dry-run"]["post"]["responses"][200]["content"]["application/json"];
export type Match = Try["matches"][number];

/** What a rule would match among the newest items of where it looks. */
export async function tryRule(rule: Rule): Promise<Try> {
  const scopes: { feedId?: FeedId; folderId?: FolderId }[] = [
    ...rule.feeds.map((feedId) => ({ feedId })),
    ...rule.folders.map((folderId) => ({ folderId })),
  ];
  // A trial is of one feed, of one folder or of all.
  const answers = await Promise.all(
    (scopes.length === 0 ? [{}] : scopes.slice(0, triedScopes)).map((scope) =>
      api.post("/api/rules/dry-run", { body: { rule: withoutSince(rule), ...scope } }),
    ),
  );
  const found = new Map(answers.flatMap(({ matches }) => matches.map((one) => [one.item.id, one])));
  return {
    itemsLookedAt: answers.reduce((sum, one) => sum + one.itemsLookedAt, 0),
    matches: [...found.values()].sort((a, b) => placeOf(b.item).localeCompare(placeOf(a.item))),
  };
}

const triedScopes = 8;

export interface Applied {
  hidden: number;
  markedRead: number;
  starred: number;
  labelled: number;
  /** Takes the marking as read back; null where nothing was marked. */
  undo: (() => Promise<void>) | null;
}

/** Carries a rule out on the unread items that are there, part by part. */
export async function applyRule(client: QueryClient, ruleId: string): Promise<Applied> {
  const sum = { hidden: 0, markedRead: 0, starred: 0, labelled: 0 };
  const marks: { feedId: FeedId; undo: string }[] = [];
  const refresh = () => {
    for (const queryKey of [feedsKey, streamsKey, hiddenKey]) {
      void client.invalidateQueries({ queryKey });
    }
  };
  let cursor: string | null = null;
  do {
    const body: { ruleId: string; cursor?: string } = cursor ? { ruleId, cursor } : { ruleId };
    const part: Part = await api.post("/api/rules/apply", { body });
    for (const name of ["hidden", "markedRead", "starred", "labelled"] as const) {
      sum[name] += part[name];
    }
    marks.push(...part.undo);
    cursor = part.nextCursor;
  } while (cursor !== null);
  refresh();
  return {
    ...sum,
    undo:
      marks.length === 0
        ? null
        : async () => {
            for (const { feedId, undo } of marks) {
              await api.post("/api/feeds/{id}/mark-read/undo", {
                path: { id: feedId },
                body: { undo },
              });
            }
            refresh();
          },
  };
}

type Part = paths["/api/rules/apply"]["post"]["responses"][200]["content"]["application/json"];

export const hiddenKey = ["hidden"] as const;
export interface HiddenItem {
  item: ItemSummary;
  rule: { id: string; name: string } | null;
}
