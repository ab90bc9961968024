import { heading, quantile, row } from "./figures.ts";

interface Result {
  lhr: {
    lighthouseVersion: string;
    categories: Record<string, { score: number | null }>;
    audits: Record<
      string,
      { score: number | null; numericValue?: number; title: string; scoreDisplayMode: string }
    >;
  };
}

const rounds = 3;
const categories = ["performance", "accessibility", "best-practices"];

/** Lighthouse's mobile profile (slow 4G and a processor four times slower, both simulated): medians of three rounds. */
export async function lighthouse(
  port: number,
  base: string,
  screens: Readonly<Record<string, string>>,
): Promise<void> {
  let run: (url: string, flags: object) => Promise<Result>;
  try {
    run = (await import("lighthouse" as string)).default;
  } catch {
    heading("Lighthouse: not installed (make bench-web installs it)");
    return;
  }
  for (const [name, path] of Object.entries(screens)) {
    const results: Result["lhr"][] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { lhr } = await run(base + path, {
        port,
        output: "json",
        logLevel: "error",
        onlyCategories: categories,
      });
      results.push(lhr);
    }
    const median = (value: (lhr: Result["lhr"]) => number) => quantile(results.map(value), 0.5);
    const score = (category: string) =>
      Math.round(100 * median((lhr) => lhr.categories[category]?.score ?? 0));
    const audit = (id: string) => median((lhr) => lhr.audits[id]?.numericValue ?? 0);
    heading(`Lighthouse ${results[0]?.lighthouseVersion}, mobile: ${name}`);
    for (const category of categories) row(category, String(score(category)));
    row("first contentful paint", `${(audit("first-contentful-paint") / 1000).toFixed(2)} s`);
    row("largest contentful paint", `${(audit("largest-contentful-paint") / 1000).toFixed(2)} s`);
    row("total blocking time", `${audit("total-blocking-time").toFixed(0)} ms`);
    row("layout shift", audit("cumulative-layout-shift").toFixed(3));
    row("speed index", `${(audit("speed-index") / 1000).toFixed(2)} s`);
    row("bytes", `${(audit("total-byte-weight") / 1024).toFixed(0)} KiB`);
    const last = results.at(-1);
    for (const one of Object.values(last?.audits ?? {})) {
      const isJudged = ["binary", "numeric", "metricSavings"].includes(one.scoreDisplayMode);
      if (isJudged && one.score !== null && one.score < 0.9)
        row("  below 0.9", `${one.title} (${one.score})`);
    }
  }
}
