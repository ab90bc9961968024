import type { OpmlFeed } from "@/data/opml";
import type { Feed, FeedFault, Imported } from "@/data/types";

/** A failure of an import: an entry of the list, or a feed whose first fetch failed. */
export type Failure =
  | ({ kind: "entry" } & Imported["errors"][number])
  | { kind: "feed"; title: string; url: string; feed: Feed; fault: FeedFault };

interface Outcome {
  failures: Failure[];
  /** New feeds that wait for their first fetch. */
  waiting: number;
}

export function outcomeOf(report: Imported, feeds: ReadonlyMap<string, Feed>): Outcome {
  const failures: Failure[] = report.errors.map((one) => ({ kind: "entry", ...one }));
  let waiting = 0;
  for (const id of report.feedIds) {
    const feed = feeds.get(id);
    if (feed?.status === "waiting") waiting += 1;
    if (feed?.error && (feed.status === "error" || feed.status === "stopped")) {
      const title = feed.customTitle || feed.title;
      failures.push({ kind: "feed", title, url: feed.url, feed, fault: feed.error });
    }
  }
  return { failures, waiting };
}

/** Errors in the list itself, which a retry would repeat. */
const permanent = new Set(["no_address", "bad_address", "commented", "include", "bad_url"]);

export function canRetry(failure: Failure): boolean {
  return failure.kind === "feed" || (failure.url !== "" && !permanent.has(failure.code));
}

/** The failed feeds as a list, with their folders. */
export function asOpml(failures: readonly Failure[]): OpmlFeed[] {
  return failures
    .filter((one) => one.url !== "")
    .map((one) => ({
      title: one.title,
      url: one.url,
      path: one.kind === "entry" ? one.path : one.feed.folder.split("/").filter(Boolean),
    }));
}
