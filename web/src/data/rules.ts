import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components, paths } from "./api.gen";
import { api } from "./client";
import { feedsKey } from "./feeds";
import { createQueue } from "./request-queue";
import { sortTime } from "./sort-time";
import { streamsKey } from "./stream";
import type { FeedId, FolderId, ItemSummary } from "./types";

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

/** One request after the other: each is based on the revision that the one before returned. */
const enqueue = createQueue();
let pending = 0;

/** Replaces all rules at once, because their order matters. A refusal restores the old ones and is thrown. */
export async function saveRules(client: QueryClient, list: readonly Rule[]): Promise<Rule[]> {
  const { queryKey } = rulesQuery;
  const before = client.getQueryData(queryKey) ?? (await client.fetchQuery(rulesQuery));
  client.setQueryData(queryKey, { ...before, rules: [...list] });
  pending += 1;
  return enqueue(async () => {
    try {
      const { revision } = client.getQueryData(queryKey) ?? before;
      const body = { rules: list.map(withoutSince), revision };
      const saved = await api.put("/api/rules", { body });
      // The next change is shown already.
      client.setQueryData(queryKey, (now) =>
        now && pending > 1 ? { ...saved, rules: now.rules } : saved,
      );
      return saved.rules;
    } catch (cause) {
      client.setQueryData(queryKey, (now) => ({
        ...before,
        revision: now?.revision ?? before.revision,
      }));
      // Perhaps changed elsewhere: the person decides about the current rules.
      void client.invalidateQueries({ queryKey });
      throw cause;
    } finally {
      pending -= 1;
    }
  });
}

/** The server sets since when a rule applies. */
function withoutSince({ appliesSince: _, ...rule }: Rule): Rule {
  return rule;
}

type Try = paths["/api/rules/dry-run"]["post"]["responses"][200]["content"]["application/json"];
export type Match = Try["matches"][number];

/** What a rule would match among the newest items of its feeds and folders. */
export async function tryRule(rule: Rule): Promise<Try> {
  const scopes: { feedId?: FeedId; folderId?: FolderId }[] = [
    ...rule.feeds.map((feedId) => ({ feedId })),
    ...rule.folders.map((folderId) => ({ folderId })),
  ];
  // A dry run is for one feed, one folder or everything.
  const answers = await Promise.all(
    (scopes.length === 0 ? [{}] : scopes.slice(0, maxScopes)).map((scope) =>
      api.post("/api/rules/dry-run", { body: { rule: withoutSince(rule), ...scope } }),
    ),
  );
  const found = new Map(answers.flatMap(({ matches }) => matches.map((one) => [one.item.id, one])));
  return {
    itemsLookedAt: answers.reduce((sum, one) => sum + one.itemsLookedAt, 0),
    matches: [...found.values()].sort((a, b) => sortTime(b.item).localeCompare(sortTime(a.item))),
  };
}

const maxScopes = 8;

interface Applied {
  hidden: number;
  markedRead: number;
  starred: number;
  labelled: number;
  /** Undoes marking as read; null where nothing was marked. */
  undo: (() => Promise<void>) | null;
}

/** Applies a rule to the unread items, page by page. */
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
