import { afterEach, expect, it, vi } from "vitest";
import { exportArchive, importArchive } from "./takeout";

afterEach(() => vi.unstubAllGlobals());

/** Stands for the server; answers in turn, and notes what was sent. */
function serve(...answers: Response[]) {
  const calls: string[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const size = init.body ? ` ${(init.body as Blob).size}` : "";
    calls.push(`${init.method} ${url}${size}`);
    return answers.shift() ?? new Response("{}", { status: 500 });
  });
  return calls;
}

const report = (state: string) => Response.json({ id: "7", state }, { status: 202 });

it("sends a short archive whole", async () => {
  const calls = serve(Response.json({ feeds: 1 }));
  expect(await importArchive(new File(["zip"], "a.zip"))).toEqual({ feeds: 1 });
  expect(calls).toEqual(["POST /api/users/me/import 3"]);
});

it("sends a long archive in parts, one again when the server asks to wait", async () => {
  vi.useFakeTimers();
  const mb = 2 ** 20;
  const wait = new Response("{}", { status: 429, headers: { "Retry-After": "3" } });
  const calls = serve(
    report("pending"),
    report("pending"),
    wait,
    report("pending"),
    report("pending"),
  );
  const shares: number[] = [];
  const file = new File([new Uint8Array(9 * mb)], "a.zip");
  const sent = importArchive(file, (share) => shares.push(Math.round(share * 9)));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await sent).toEqual({ id: "7", state: "pending" });
  vi.useRealTimers();
  const part = (n: number, size: number) => `PUT /api/imports/7/parts/${n} ${size}`;
  expect(calls).toEqual([
    `POST /api/users/me/import?size=${9 * mb}`,
    part(0, 4 * mb),
    part(1, 4 * mb),
    part(1, 4 * mb),
    part(2, mb),
  ]);
  expect(shares).toEqual([0, 4, 8]);
});

/** An answer with bytes, as Blobs of this test's DOM. */
function bytes(text: string, headers: Record<string, string> = {}): Response {
  return Object.assign(new Response(text, { headers }), { blob: async () => new Blob([text]) });
}

it("joins the parts of an export", async () => {
  const calls = serve(bytes("one ", { "X-Next-Part": "a-b" }), bytes("two"));
  const archive = await exportArchive();
  expect([archive.size, archive.type]).toEqual([7, "application/zip"]);
  expect(calls).toEqual([
    "GET /api/users/me/export?part=first",
    "GET /api/users/me/export?part=a-b",
  ]);
});

it("throws what the server refuses", async () => {
  serve(Response.json({ code: "not_takeout", message: "m" }, { status: 400 }));
  await expect(importArchive(new File(["x"], "a.zip"))).rejects.toMatchObject({
    code: "not_takeout",
  });
});
