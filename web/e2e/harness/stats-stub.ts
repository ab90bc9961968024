import type { Page } from "playwright-core";
import { serverText } from "./catalog.ts";

/** Weeks of figures, which a server that has just begun does not have. */
export async function stubStats(page: Page, { isEmpty = false } = {}): Promise<void> {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const sums = (ago: number) => {
    const wave = isEmpty ? 0 : 1 + ((ago * 7) % 5) / 5;
    return {
      due: Math.round(1900 * wave),
      polled: Math.round(1890 * wave),
      notModified: Math.round(1500 * wave),
      unchanged: Math.round(180 * wave),
      changed: Math.round(170 * wave),
      failed: Math.round((ago === 2 ? 260 : 40) * wave),
      deferred: 3,
      skipped: 0,
      lost: 0,
      newItems: Math.round(420 * wave),
      tableReads: Math.round(2100 * wave),
      tableWrites: Math.round(310 * wave) + (isEmpty ? 0 : 190),
      blobPuts: Math.round(170 * wave),
      bytes: 12_000_000,
      durationMs: 400_000,
    };
  };
  await page.route("**/api/stats?*", async (route) => {
    const days = Number(new URL(route.request().url()).searchParams.get("days"));
    const fault = (code: string, category: string) => ({
      code,
      category,
      ...serverText("en", code, "feed"),
      since: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    });
    await route.fulfill({
      json: {
        days: Array.from({ length: days }, (_, at) => {
          const ago = days - 1 - at;
          return {
            day: day(ago),
            runs: isEmpty ? 0 : 96,
            lostRuns: ago === 3 && !isEmpty ? 1 : 0,
            isPartial: false,
            ...sums(ago),
          };
        }),
        units: {
          day: day(0),
          writeBudget: 700,
          crawlWrites: isEmpty ? 0 : 500,
          readerWrites: isEmpty ? 0 : 72,
          cacheWrites: isEmpty ? 0 : 38.5,
          crawlReads: isEmpty ? 0 : 2100,
          countedSince: `${day(0)}T00:00:00Z`,
        },
        failing: isEmpty
          ? []
          : [
              {
                id: "3",
                title: "遠い島の天気と、とても長い名前をもつ気象観測所の便り",
                host: "weather.example.jp",
                status: "stopped",
                failures: 12,
                error: fault("http_410", "http"),
                nextCheckAt: null,
              },
              {
                id: "7",
                title: "A Slow Site",
                host: "slow.example.org",
                status: "error",
                failures: 3,
                error: fault("timeout", "network"),
                nextCheckAt: new Date(Date.now() + 3_600_000).toISOString(),
              },
            ],
      },
    });
  });
  await page.route("**/api/stats/popular?*", async (route) => {
    const entry = (id: string, title: string, count: number) => ({
      id,
      feedId: "1",
      title,
      link: "https://example.org/",
      count,
    });
    await route.fulfill({
      json: isEmpty
        ? { entries: [], tags: [], searches: [] }
        : {
            entries: [
              entry("1", "湖と山のあいだを歩く、とても長い題名をもった一日の記録", 12),
              entry("2", "What a reader is for", 4),
            ],
            tags: [{ name: "golang", count: 7 }],
            searches: [
              { name: "桜 開花", count: 9 },
              { name: "dynamodb ttl", count: 2 },
            ],
          },
    });
  });
  await page.route("**/api/stats/cost?*", async (route) => {
    const line = (service: string, price: string, usd: number, always: number) => ({
      service,
      what: price,
      price,
      quantity: 1000 * usd,
      unit: "1M requests of 64 KB",
      unitUSD: 0.4,
      alwaysFree: 1,
      firstYearFree: 2,
      usd,
      alwaysUSD: always,
      yearUSD: 0,
      seen: "2026-09",
      source: "https://aws.amazon.com/pricing/",
    });
    const region = new URL(route.request().url()).searchParams.get("region");
    await route.fulfill({
      json: {
        region,
        regions: ["us-east-1", "ap-northeast-1"],
        basisDays: isEmpty ? 0 : 6,
        limit: isEmpty
          ? null
          : { limitUSD: 0.02, spentUSD: 0.0176, intervalFactor: 4, endsAt: "2026-12-01T00:00:00Z" },
        lines: isEmpty
          ? []
          : [
              line("SQS", "sqs.requests", 0.2627, 0),
              line("DynamoDB", "dynamodb.writes", 0.0372, 0),
              line("Lambda", "lambda.arm64", 0.0168, 0),
              line("S3", "s3.puts", 0.0144, 0.0144),
              line("S3", "s3.storage", 0.0012, 0.0012),
              line("API Gateway", "api.requests", 0.0061, 0.0061),
              line("CloudFront", "cloudfront.requests", 0.0096, 0),
              line("Scheduler", "scheduler.invocations", 0.0029, 0),
              line("Transfer", "transfer.out", 0.0042, 0),
              line("CloudWatch", "logs.ingest", 0.0024, 0),
            ],
        total: { usd: 0.3575, alwaysUSD: 0.0217, yearUSD: 0 },
      },
    });
  });
  await page.route("**/api/stats/dead-letters", async (route) => {
    const sentAt = new Date(Date.now() - 26 * 3_600_000).toISOString();
    const letter = { tickAt: null, receives: 5, sentAt, diedAt: sentAt };
    await route.fulfill({
      json: {
        count: isEmpty ? 0 : 2,
        isMore: false,
        oldestAt: isEmpty ? null : sentAt,
        reasons: [],
        deadLetters: isEmpty
          ? []
          : [
              {
                id: "1",
                kind: "scheduled",
                feeds: 17,
                reason:
                  "table: put: storage_unavailable: connection refused by dynamodb.eu-central-1.amazonaws.com:443",
                ...letter,
              },
              { id: "2", kind: "unknown", feeds: 0, reason: "max_receives", ...letter },
            ],
      },
    });
  });
  await page.route("**/api/runs?*", async (route) => {
    await route.fulfill({
      json: {
        nextCursor: isEmpty ? null : "x",
        runs: Array.from({ length: isEmpty ? 0 : 12 }, (_, at) => ({
          id: String(at),
          kind: at === 4 ? "refresh" : at === 6 ? "first" : "scheduled",
          state: at === 9 ? "lost" : "done",
          tick: 1000 - at,
          part: 0,
          startedAt: new Date(Date.now() - at * 900_000).toISOString(),
          ...sums(1),
          polled: 20 + at,
          failed: at % 5 === 0 ? 2 : 0,
          newItems: (at * 7) % 23,
          tableWrites: 4 + at,
          durationMs: 900 + at * 1700,
        })),
      },
    });
  });
}
