import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { aBeginning, aFeed } from "@/testing/fixtures";
import { mockServer, problem } from "@/testing/server";
import { feedsQuery } from "./feeds";
import { meQuery, warmUpMe } from "./me";
import { adoptSettings, defaults, forgetSettings, getSetting, setSettings } from "./settings";
import { treeQuery } from "./tree";

it("keeps a choice on the device while nobody is signed in, and takes it along", async () => {
  const { calls } = mockServer({});
  await setSettings({ language: "ja" });
  expect(calls).toHaveLength(0);
  expect(JSON.parse(localStorage.getItem("ruri.settings") ?? "")).toMatchObject({ language: "ja" });
  adoptSettings({ ...defaults, density: "compact" });
  expect([getSetting("language"), getSetting("density")]).toEqual(["ja", "compact"]);
  adoptSettings({ ...defaults, language: "en" });
  expect(getSetting("language")).toBe("en");
});

it("sends what a person chose before the server's settings came", async () => {
  forgetSettings();
  localStorage.setItem("ruri.user", "u1");
  const { calls } = mockServer({
    "PUT /api/user/preferences": ({ body }) => ({ body: { ...defaults, ...(body as object) } }),
  });
  const saved = setSettings({ theme: "auto" });
  adoptSettings({ ...defaults, theme: "dark" });
  await saved;
  expect([getSetting("theme"), calls.map((call) => call.body)]).toEqual([
    "auto",
    [{ theme: "auto" }],
  ]);
});

it("shows a change at once and saves it; a refusal puts the old one back", async () => {
  adoptSettings(defaults);
  mockServer({
    "PUT /api/user/preferences": ({ body }) =>
      (body as { textStep?: number }).textStep === 4
        ? problem(503, "storage_unavailable", "system")
        : { body: { ...defaults, ...(body as object) } },
  });
  const saved = setSettings({ textStep: 2 });
  expect(getSetting("textStep")).toBe(2);
  await saved;
  expect(getSetting("textStep")).toBe(2);
  await expect(setSettings({ textStep: 4 })).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(getSetting("textStep")).toBe(2);
});

it("keeps the last of two quick changes", async () => {
  adoptSettings(defaults);
  const { calls } = mockServer({
    "PUT /api/user/preferences": ({ body }) => ({ body: { ...defaults, ...(body as object) } }),
  });
  await Promise.all([setSettings({ density: "compact" }), setSettings({ density: "spacious" })]);
  expect(calls.map((call) => call.body)).toEqual([{ density: "compact" }, { density: "spacious" }]);
  expect(getSetting("density")).toBe("spacious");
});

it("leaves nothing but theme and language to who comes next", async () => {
  adoptSettings({ ...defaults, theme: "dark", textStep: 3 });
  forgetSettings();
  expect([getSetting("theme"), getSetting("textStep")]).toEqual(["dark", 0]);
});

it("begins with one request", async () => {
  const { calls } = mockServer({ "GET /api/me": { body: aBeginning() } });
  const client = new QueryClient();
  warmUpMe(client);
  await client.ensureQueryData(meQuery);
  await client.ensureQueryData(feedsQuery);
  expect(calls.map((call) => call.route)).toEqual(["GET /api/me"]);
  expect(client.getQueryData(feedsQuery.queryKey)?.feeds).toEqual([aFeed()]);
  expect(client.getQueryData(treeQuery.queryKey)).toEqual({ folders: [], labels: [] });
});
