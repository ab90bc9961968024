import { expect, it } from "vitest";
import { mockServer } from "@/testing/server";
import { isStarredFile, starredFile } from "./starred-file";

it("joins the parts of a long list", async () => {
  const part = (items: object[], more: object) => ({
    body: { id: "x", title: "Ruri", direction: "ltr", items, ...more },
  });
  mockServer({
    "GET /api/export/starred": ({ url }) =>
      url.searchParams.get("cursor") === "7"
        ? part([{ id: 3 }], {})
        : part([{ id: 1 }, { id: 2 }], { continuation: "7" }),
  });
  expect(JSON.parse(await starredFile())).toEqual({
    id: "x",
    title: "Ruri",
    direction: "ltr",
    items: [{ id: 1 }, { id: 2 }, { id: 3 }],
  });
});

it.each([
  ["starred.json", "", true],
  ["export", ' {"items":[]}', true],
  ["export.txt", "[{}]", true],
  ["list.opml", "<opml/>", false],
])("tells stars from lists of feeds: %s", async (name, text, want) => {
  expect(await isStarredFile(new File([text], name))).toBe(want);
});
