import { expect, it } from "vitest";
import { aCandidate, aPreviewRow } from "@/testing/watches";
import { assign, partsOf, placeKey } from "./fields";

const rows = [
  aPreviewRow({ name: "Leica M6", priceText: "¥289,000" }),
  aPreviewRow({ name: "Nikon F3", priceText: "¥48,000" }),
];
const candidate = aCandidate({
  layout: { rows: "li.item", fields: { title: "h3", price: ".price" } },
  rows,
  choices: {
    title: [{ field: ".model", samples: ["M6 TTL", "F3 HP"] }],
    price: [{ field: { at: ".old" }, samples: ["¥310,000", ""] }],
    seller: [{ field: ".by", samples: ["", ""] }],
  },
});

it("lists what is used first, then what could be, and nothing that says nothing", () => {
  expect(
    partsOf(candidate).map(({ place, samples, fields }) => [place, samples[0], fields]),
  ).toEqual([
    ["h3", "Leica M6", ["title"]],
    [".price", "¥289,000", ["price"]],
    [".model", "M6 TTL", []],
    [{ at: ".old" }, "¥310,000", []],
  ]);
});

it("assigns a part to a field, and keeps the old one to take it back", () => {
  const before = partsOf(candidate);
  const layout = assign(candidate.layout, "title", ".model");
  expect(layout).toEqual({ rows: "li.item", fields: { title: ".model", price: ".price" } });
  const after = partsOf(
    aCandidate({ layout, rows: rows.map((row) => ({ ...row, name: "M6 TTL" })), choices: {} }),
    before,
  );
  expect(after.map(({ place, samples, fields }) => [place, samples[0], fields])).toEqual([
    [".model", "M6 TTL", ["title"]],
    [".price", "¥289,000", ["price"]],
    ["h3", "Leica M6", []],
    [{ at: ".old" }, "¥310,000", []],
  ]);
});

it("takes a field away", () => {
  expect(assign(candidate.layout, "price", null).fields).toEqual({ title: "h3" });
});

it("knows one place in two notations", () => {
  expect(placeKey("h3")).toBe(placeKey({ at: "h3" }));
  expect(placeKey({ at: "a" })).not.toBe(placeKey({ at: "a", attr: "href" }));
});
