import { webcrypto } from "node:crypto";
import { beforeEach, expect, test, vi } from "vitest";
import { type Build, Shell } from "./shell";

const digest = {
  one: "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
  two: "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3",
};
const first: Build = {
  id: "a",
  parts: [
    ["/index.html", digest.one],
    ["/assets/x-1.js", null],
  ],
};
const second: Build = {
  id: "b",
  parts: [
    ["/index.html", digest.two],
    ["/assets/x-1.js", null],
  ],
};

let stores: Map<string, Map<string, string>>;
let caches: CacheStorage;
let asked: string[];

/** As much of the browser's caches as the shell uses. */
beforeEach(() => {
  vi.stubGlobal("crypto", webcrypto); // jsdom's has no digests
  stores = new Map();
  asked = [];
  const answer = (body: string | undefined) =>
    body === undefined ? undefined : new Response(body);
  caches = {
    has: async (name: string) => stores.has(name),
    keys: async () => [...stores.keys()],
    delete: async (name: string) => stores.delete(name),
    match: async (path: string) =>
      answer([...stores.values()].find((store) => store.has(path))?.get(path)),
    open: async (name: string) => {
      const store = stores.get(name) ?? new Map<string, string>();
      stores.set(name, store);
      return {
        put: async (path: string, response: Response) =>
          void store.set(path, await response.text()),
        match: async (path: string) => answer(store.get(path)),
      };
    },
  } as unknown as CacheStorage;
});

const site = (files: Record<string, string>) => async (path: unknown) => {
  asked.push(String(path));
  const body = files[String(path)];
  return new Response(body ?? "", { status: body === undefined ? 404 : 200 });
};

test("keeps every file of its build", async () => {
  const shell = new Shell(first, caches);
  await shell.fill(site({ "/index.html": "one", "/assets/x-1.js": "x" }));
  expect(await (await shell.file("/index.html"))?.text()).toBe("one");
  expect(await (await shell.anyFile("/assets/x-1.js"))?.text()).toBe("x");
  expect(shell.has("/theme.js")).toBe(false);
});

test("keeps nothing when a file is missing, or of another build", async () => {
  const shell = new Shell(second, caches);
  await expect(shell.fill(site({ "/index.html": "two" }))).rejects.toThrow(/x-1.js.*404/);
  expect(stores.size).toBe(0);
  const files = { "/index.html": "one", "/assets/x-1.js": "x" };
  await expect(shell.fill(site(files))).rejects.toThrow("another build");
  expect(stores.size).toBe(0);
});

test("a failed installation leaves the running build alone, and takes from it what is the same", async () => {
  const files = { "/index.html": "one", "/assets/x-1.js": "x" };
  await new Shell(first, caches).fill(site(files));
  await expect(new Shell(second, caches).fill(site(files))).rejects.toThrow("another build");
  expect([...stores.keys()]).toEqual(["ruri-shell-a"]);
  await expect(new Shell(first, caches).fill(site({}))).rejects.toThrow();
  expect([...stores.keys()]).toEqual(["ruri-shell-a"]);
  asked = [];
  await new Shell(second, caches).fill(site({ "/index.html": "two" }));
  expect(asked).toEqual(["/index.html"]);
});

test("the build before stays, those before it go", async () => {
  for (const id of ["a", "b", "c"]) stores.set(`ruri-shell-${id}`, new Map());
  stores.set("of somebody else", new Map());
  await new Shell({ id: "c", parts: [] }, caches).forgetOlder();
  expect([...stores.keys()]).toEqual(["ruri-shell-b", "ruri-shell-c", "of somebody else"]);
});
