import type { OpmlFeed } from "@/data/opml";
import type { Feed, FeedFault, Imported } from "@/data/types";

/** What an import could not bring: an entry of the list, or a feed whose first fetch failed. */
export type Failure =
  | { kind: "entry"; title: string; url: string; code: string; message: string; path: string[] }
  | { kind: "feed"; title: string; url: string; feed: Feed; fault: FeedFault };

export interface Outcome {
  failures: Failure[];
  /** New feeds whose first fetch is still to come. */
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

/** These will fail in the same way until the list is another. */
const hopeless = new Set(["no_address", "bad_address", "commented", "include", "bad_url"]);

export function canRetry(failure: Failure): boolean {
  return failure.kind === "feed" || (failure.url !== "" && !hopeless.has(failure.code));
}

/** As a list of its own, to be mended elsewhere or brought again: each in the folder it was in. */
export function asOpml(failures: readonly Failure[]): OpmlFeed[] {
  return failures
    .filter((one) => one.url !== "")
    .map((one) => ({
      title: one.title,
      url: one.url,
      path: one.kind === "entry" ? one.path : one.feed.folder.split("/").filter(Boolean),
    }));
}
