import { publisherBinary } from "./paths.ts";
import { start } from "./process.ts";

/** A site on the loopback with feeds of several kinds (internal/testkit/publisher). */
export interface Publisher {
  url(path: string): string;
  /** Gives a growing feed more items. */
  tick(feed: string, n: number): Promise<void>;
  /** How many requests a slow feed holds. */
  held(feed: string): Promise<number>;
  release(feed: string): Promise<void>;
  close(): Promise<void>;
}

export async function startPublisher(args: readonly string[] = []): Promise<Publisher> {
  const program = await start(publisherBinary(), args, /^(http:\S+)\n/);
  return {
    ...attachPublisher(program.ready[1] ?? ""),
    async close() {
      await program.stop();
    },
  };
}

/** A publisher that run.ts started. */
export function attachPublisher(base: string): Publisher {
  const ask = async (method: string, path: string) => {
    const response = await fetch(base + path, { method });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response;
  };
  return {
    url: (path) => base + path,
    async tick(feed, n) {
      await ask("POST", `/tick?feed=${feed}&n=${n}`);
    },
    async held(feed) {
      const { held } = await (await ask("GET", `/held?feed=${feed}`)).json();
      return held;
    },
    async release(feed) {
      await ask("POST", `/release?feed=${feed}`);
    },
    async close() {},
  };
}
