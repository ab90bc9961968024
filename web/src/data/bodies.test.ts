import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { aFullItem } from "@/testing/fixtures";
import { mockServer } from "@/testing/server";
import { bodyQuery, prefetchBodies } from "./bodies";

it("loads several texts in one request, what had no room in another, and names what is gone", async () => {
  const asked: string[] = [];
  mockServer({
    "GET /api/items/bodies": ({ url }) => {
      const ids = (url.searchParams.get("ids") ?? "").split(",");
      asked.push(ids.join(" "));
      const items = ids.slice(0, 2).filter((id) => id !== "9");
      return {
        body: {
          items: items.map((id) => aFullItem({ id })),
          rest: ids.slice(2),
          missing: ids.filter((id) => id === "9"),
        },
      };
    },
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  prefetchBodies(client, ["1", "2", "3"]);
  const third = await client.fetchQuery(bodyQuery("3"));
  expect(third.id).toBe("3");
  expect(asked).toEqual(["1 2 3", "3"]);
  await expect(client.fetchQuery(bodyQuery("9"))).rejects.toMatchObject({ code: "item_not_found" });
  prefetchBodies(client, ["1", "2"]);
  expect(asked).toHaveLength(3);
});
