import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";

const html = readFileSync(join(import.meta.dirname, "../../index.html"), "utf8");
const firstLines = /<script>(.*?)<\/script>/s.exec(html)?.[1] ?? "";

let asked: string[] = [];

beforeEach(() => {
  vi.resetModules();
  localStorage.clear();
  delete window.begun;
  asked = [];
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    return new Response("{}", { status: 404 });
  });
});

async function startProgram(): Promise<void> {
  const { makeQueryClient, warmUp } = await import("./query-client");
  warmUp(makeQueryClient());
}

const runFirstLines = () => new Function(firstLines)();

describe("the page's first lines", () => {
  it.each([
    ["/", { order: "old" }, ["/api/me", "/api/today"]],
    ["/today/i/12", {}, ["/api/me", "/api/today", "/api/items/12"]],
    ["/all", {}, ["/api/me", "/api/items?limit=50"]],
    ["/all?f=unread", {}, ["/api/me", "/api/items?limit=50&filter=unread"]],
    [
      "/all?f=unread&v=card&o=old",
      { itemsPerPage: 100 },
      ["/api/me", "/api/items?limit=100&filter=unread&order=oldest"],
    ],
    ["/all?o=new", { order: "old" }, ["/api/me", "/api/items?limit=50"]],
    ["/all?o=popular", { order: "old" }, ["/api/me", "/api/items?limit=50&order=popular"]],
    ["/all?o=sideways&f=none", { order: "old" }, ["/api/me", "/api/items?limit=50&order=oldest"]],
    ["/starred?f=unread", {}, ["/api/me", "/api/items?limit=50&filter=starred"]],
    ["/all/i/12", {}, ["/api/me", "/api/items?limit=50", "/api/items/12"]],
    ["/feed/7", {}, ["/api/me", "/api/feeds/7/items?limit=50"]],
    [
      "/feed/7/i/12?f=starred",
      { order: "old" },
      ["/api/me", "/api/feeds/7/items?limit=50&filter=starred&order=oldest", "/api/items/12"],
    ],
    ["/folder/7?f=unread", {}, ["/api/me", "/api/items?limit=50&filter=unread&folder=7"]],
    [
      "/label/7/i/12",
      { order: "old" },
      ["/api/me", "/api/items?limit=50&order=oldest&label=7", "/api/items/12"],
    ],
  ])("ask for what the program begins with: %s %j", async (address, settings, wanted) => {
    history.replaceState(null, "", address);
    localStorage.setItem("ruri.settings", JSON.stringify(settings));
    await startProgram();
    expect(asked).toEqual(wanted);

    vi.resetModules();
    asked = [];
    runFirstLines();
    expect(asked).toEqual(wanted);
    await startProgram();
    expect(asked).toEqual(wanted);
    expect(window.begun).toBeUndefined();
  });

  it.each([
    "/login?next=%2Fall",
    "/signup",
    "/welcome",
    "/settings/display",
    "/nowhere/at/all",
    "/feed",
    "/feed/x",
    "/feed/1/i",
    "/feed/1/i/2/3",
    "/feed/12345678901234567",
    "/all/i/12345678901234567",
  ])("ask for nothing at %s", (address) => {
    history.replaceState(null, "", address);
    runFirstLines();
    expect(asked).toEqual([]);
  });

  it.each([
    ["", "/", "u1", "sheet"],
    ["", "/settings/display", "u1", "sheet"],
    ["", "/all", "u1", "ground"],
    ["", "/login?next=%2Fall", "u1", undefined],
    ["", "/", null, undefined],
    ["/reader", "/reader/", "u1", "sheet"],
    ["/reader", "/reader/login", "u1", undefined],
  ])("choose the first frame: %j %s %s", (base, address, user, frame) => {
    const { dataset } = document.documentElement;
    delete dataset.first;
    if (base) dataset.base = base;
    if (user) localStorage.setItem("ruri.user", user);
    history.replaceState(null, "", address);
    runFirstLines();
    expect(dataset.first).toBe(frame);
    delete dataset.base;
  });

  it("leave a request that failed to who takes it", async () => {
    history.replaceState(null, "", "/all");
    vi.stubGlobal("fetch", async () => {
      throw new TypeError("no network");
    });
    runFirstLines();
    const { takeEarlyResponse } = await import("@/data/early-requests");
    await expect(takeEarlyResponse("/api/me")).rejects.toThrow("no network");
    expect(takeEarlyResponse("/api/me")).toBeUndefined();
  });
});
