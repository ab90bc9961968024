import { expect, it } from "vitest";
import { anItem } from "@/testing/fixtures";
import { newItemsIn } from "./new-items";
import type { StreamPage } from "./stream";

function page(ids: readonly number[], nextCursor: string | null = "more"): StreamPage {
  const items = ids.map((id) =>
    anItem({ id: String(id), publishedAt: new Date(id * 60_000).toISOString() }),
  );
  return { items, nextCursor, asOf: null, loadedAt: 0 };
}

const idsOf = (pages: StreamPage[], fresh: StreamPage) =>
  newItemsIn(pages, fresh).map((item) => Number(item.id));

it("finds what stands above the list, and what came between its rows", () => {
  expect(idsOf([page([50, 40, 30])], page([70, 60, 50, 45, 40]))).toEqual([70, 60, 45]);
});

it("does not take for new what the list had not loaded yet", () => {
  // Of a list of unread items the upper two were read since.
  expect(idsOf([page([50, 40, 30])], page([30, 20, 10]))).toEqual([]);
  expect(idsOf([page([50, 40, 30])], page([60, 20, 10])), "all that was loaded is read").toEqual([
    60,
  ]);
});

it("takes everything that a whole list does not have for new", () => {
  expect(idsOf([page([50, 40], null)], page([50, 40, 30], null))).toEqual([30]);
  expect(idsOf([page([], null)], page([50, 40], null))).toEqual([50, 40]);
});

it("compares where items stand: one dated ahead hides nothing that comes later", () => {
  const list = page([50, 40]);
  const ahead = { ...anItem({ id: "99", publishedAt: "2038-01-19T00:00:00Z" }) };
  const top = { ...ahead, sortedAt: new Date(55 * 60_000).toISOString() };
  expect(idsOf([{ ...list, items: [top, ...list.items] }], page([70, 60]))).toEqual([70, 60]);
});

it("takes everything that came since for new, wherever it stands", () => {
  const since = { ...page([60, 45, 10], null), isSince: true };
  expect(idsOf([page([50, 40, 30])], since)).toEqual([60, 45, 10]);
  expect(idsOf([page([50, 45, 30])], since), "what is there already is not").toEqual([60, 10]);
});
