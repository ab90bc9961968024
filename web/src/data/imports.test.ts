import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, it, vi } from "vitest";
import { aReport } from "@/testing/fixtures";
import { mockServer } from "@/testing/server";
import { forgetImport, importQuery, importsQuery, isRunning, pace, startImport } from "./imports";
import { readPreference, setPreference } from "./preferences";

const file = new File(["<opml/>"], "a.opml");

beforeEach(() => setPreference("import", ""));

it("follows a long import, also after a reload", async () => {
  const report = aReport({ state: "pending", done: 0 });
  mockServer({ "POST /api/import/opml": { status: 202, body: report } });
  const client = new QueryClient();
  const shown = vi.spyOn(client, "invalidateQueries");
  await startImport(client, file);
  expect(client.getQueryData(importQuery("i1").queryKey)).toEqual(report);
  expect(readPreference("import")).toBe("i1");
  expect(localStorage.getItem("ruri.import")).toBe("i1");
  expect(shown).toHaveBeenCalledWith({ queryKey: ["feeds"] });
});

it("does not follow a short one", async () => {
  const { calls } = mockServer({ "POST /api/import/opml": { body: aReport({ total: 2 }) } });
  await startImport(new QueryClient(), file);
  expect(readPreference("import")).toBe("");
  expect(calls).toHaveLength(1);
});

it("asks less and less often, and not at all in the end", () => {
  expect([pace(0), pace(10), pace(1000)]).toEqual([1_000, 3_000, 10_000]);
  expect(isRunning(aReport({ state: "processing" }))).toBe(true);
  expect(isRunning(aReport({ state: "failed" }))).toBe(false);
});

it("forgets", async () => {
  mockServer({ "DELETE /api/imports/i1": { status: 204 } });
  const client = new QueryClient();
  client.setQueryData(importsQuery.queryKey, [aReport({}), aReport({ id: "i2" })]);
  setPreference("import", "i1");
  await forgetImport(client, "i1");
  expect(client.getQueryData(importsQuery.queryKey)?.map((one) => one.id)).toEqual(["i2"]);
  expect(readPreference("import")).toBe("");
});
