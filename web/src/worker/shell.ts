/** A file of the page: its address, and the digest of its content where the name has none. */
export type Part = readonly [path: string, digest: string | null];

export interface Build {
  /** Different for each build. */
  id: string;
  parts: readonly Part[];
}

const prefix = "ruri-shell-";

/** All files of one build of the page, stored so that it opens offline. */
export class Shell {
  private readonly build: Build;
  private readonly caches: CacheStorage;
  private readonly name: string;

  constructor(build: Build, caches: CacheStorage) {
    this.build = build;
    this.caches = caches;
    this.name = prefix + build.id;
  }

  /** Fetches every file or fails: half a page is worse than none, and the browser tries again. */
  async fill(ask: typeof fetch): Promise<void> {
    const isNew = !(await this.caches.has(this.name));
    const cache = await this.caches.open(this.name);
    try {
      await Promise.all(
        this.build.parts.map(async ([path, digest]) => {
          // A file with a hash in its name may be stored already, from the previous build.
          const old = digest === null ? await this.caches.match(path) : undefined;
          if (old) return cache.put(path, old);
          const answer = await ask(path, digest === null ? {} : { cache: "no-cache" });
          if (answer.status !== 200 || answer.redirected) {
            throw new Error(`${path} was answered with ${answer.status}`);
          }
          // While a release is being copied, the worker may be newer than the page.
          if (digest !== null && (await digestOf(answer.clone())) !== digest) {
            throw new Error(`${path} is of another build`);
          }
          return cache.put(path, answer);
        }),
      );
    } catch (cause) {
      if (isNew) await this.caches.delete(this.name);
      throw cause;
    }
  }

  /** Deletes old builds; the previous one stays for tabs that still run it. */
  async forgetOlder(): Promise<void> {
    const others = (await this.caches.keys()).filter(
      (name) => name.startsWith(prefix) && name !== this.name,
    );
    await Promise.all(others.slice(0, -1).map((name) => this.caches.delete(name)));
  }

  has(path: string): boolean {
    return this.build.parts.some(([own]) => own === path);
  }

  /** A file of this build. */
  async file(path: string): Promise<Response | undefined> {
    return (await this.caches.open(this.name)).match(path);
  }

  /** A file with a hash in its name, of any stored build. */
  anyFile(path: string): Promise<Response | undefined> {
    return this.caches.match(path);
  }
}

async function digestOf(answer: Response): Promise<string> {
  const sum = await crypto.subtle.digest("SHA-256", await answer.arrayBuffer());
  return [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
