import { expect, it } from "vitest";
import { aFeed, aReport } from "@/testing/fixtures";
import { asOpml, canRetry, outcomeOf } from "./failures";

const error = {
  code: "http_404",
  message: "",
  category: "http",
} as unknown as NonNullable<ReturnType<typeof aFeed>["error"]>;

it("joins refused entries with feeds that cannot be fetched", () => {
  const feeds = [
    aFeed({ id: "1", status: "waiting" }),
    aFeed({ id: "2", status: "error", error, folder: "Tech/Go", url: "https://a.jp/f" }),
    aFeed({ id: "3" }),
  ];
  const report = aReport({
    feedIds: ["1", "2", "3", "4"],
    errors: [
      { url: "", title: "No", code: "no_address", error: "", message: "", action: "", path: [] },
      {
        url: "https://b.jp/",
        title: "Full",
        code: "subscription_limit",
        error: "",
        message: "",
        action: "",
        path: ["技術"],
      },
    ],
  });
  const { failures, waiting } = outcomeOf(report, new Map(feeds.map((feed) => [feed.id, feed])));
  expect(waiting).toBe(1);
  expect(failures.map((one) => one.title)).toEqual(["No", "Full", "Example"]);
  expect(failures.map(canRetry)).toEqual([false, true, true]);
  expect(asOpml(failures)).toEqual([
    { title: "Full", url: "https://b.jp/", path: ["技術"] },
    { title: "Example", url: "https://a.jp/f", path: ["Tech", "Go"] },
  ]);
});
