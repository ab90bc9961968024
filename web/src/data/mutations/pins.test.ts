import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followPins, maxPins, openPins, pins, restorePins, setPins, togglePin } from "./pins";

const pin = (id: number) => ({ id: String(id), link: `https://example.org/${id}` });
const ids = () => pins().map(({ id }) => id);

beforeEach(() => setPins([]));
afterEach(() => vi.restoreAllMocks());

/** A browser that lets so many windows through. */
function browser(most: number) {
  const tabs: { opener: unknown; location: { replace: ReturnType<typeof vi.fn> } }[] = [];
  vi.spyOn(window, "open").mockImplementation(() => {
    if (tabs.length >= most) return null;
    tabs.push({ opener: window, location: { replace: vi.fn() } });
    return tabs.at(-1) as unknown as Window;
  });
  return tabs;
}

test("an item is pinned and unpinned, and the device keeps it", () => {
  expect(togglePin(pin(1))).toBe("pinned");
  expect(togglePin(pin(2))).toBe("pinned");
  expect(JSON.parse(localStorage.getItem("ruri.pins") ?? "")).toEqual([pin(1), pin(2)]);
  expect(togglePin(pin(1))).toBe("unpinned");
  expect(ids()).toEqual(["2"]);
});

test("there is an end to what is pinned, and it is said", () => {
  for (let id = 1; id <= maxPins; id += 1) togglePin(pin(id));
  expect(togglePin(pin(0))).toBe("full");
  expect(pins()).toHaveLength(maxPins);
  expect(togglePin(pin(1)), "one that is pinned can go").toBe("unpinned");
});

test("only what has an address of the web can be opened later", () => {
  expect(togglePin({ id: "1", link: "" })).toBe("no link");
  expect(togglePin({ id: "1", link: "javascript:alert(1)" })).toBe("no link");
  expect(pins()).toEqual([]);
});

test("all are opened in their order, know nothing of the reader, and are pinned no more", () => {
  for (const id of [1, 2, 3]) togglePin(pin(id));
  const tabs = browser(10);
  expect(openPins()).toEqual({ opened: [pin(1), pin(2), pin(3)], blocked: 0 });
  expect(tabs.map(({ location }) => location.replace.mock.calls)).toEqual(
    [1, 2, 3].map((id) => [[pin(id).link]]),
  );
  expect(tabs.map(({ opener }) => opener)).toEqual([null, null, null]);
  expect(pins()).toEqual([]);
});

test("what the browser blocks stays pinned", () => {
  for (const id of [1, 2, 3]) togglePin(pin(id));
  browser(1);
  expect(openPins()).toEqual({ opened: [pin(1)], blocked: 2 });
  expect(ids()).toEqual(["2", "3"]);
});

test("what was opened can be pinned again, beside what was pinned since", () => {
  togglePin(pin(1));
  browser(1);
  const { opened } = openPins();
  togglePin(pin(2));
  restorePins(opened);
  expect(ids()).toEqual(["1", "2"]);
});

test("what another tab pins is pinned here; what cannot be read is nothing", () => {
  const stop = followPins();
  const news = (newValue: string) =>
    window.dispatchEvent(new StorageEvent("storage", { key: "ruri.pins", newValue }));
  news(JSON.stringify([pin(7)]));
  expect(ids()).toEqual(["7"]);
  news("{");
  expect(ids()).toEqual([]);
  stop();
});
