import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { feedsQuery } from "@/data/feeds";
import { importQuery } from "@/data/imports";
import { aFeed, aReport } from "@/testing/fixtures";
import { renderApp, testClient } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { ImportReport } from "./import-report";

it("tells what could not be added from what was added and cannot be fetched yet", async () => {
  mockServer({});
  const client = testClient();
  const error = { code: "http_404", message: "", category: "http" } as never;
  const feeds = [
    aFeed({ id: "1", title: "Gone", status: "error", error }),
    aFeed({ id: "2", title: "Interrupted", status: "error", error }),
    aFeed({ id: "3", title: "Well" }),
  ];
  client.setQueryData(feedsQuery.queryKey, {
    feeds,
    totals: { feeds: 3, unread: 0, starred: 0 },
    limits: { feeds: 100 },
  });
  client.setQueryData(
    importQuery("1").queryKey,
    aReport({
      id: "1",
      total: 4,
      imported: 3,
      failed: 1,
      feedIds: ["1", "2", "3"],
      errors: [
        { url: "", title: "No", code: "no_address", error: "", message: "", action: "", path: [] },
      ],
    }),
  );
  const nothing = () => undefined;
  renderApp(
    <ImportReport id="1" onRetried={nothing} onForgotten={nothing} onClose={nothing} />,
    client,
  );
  const names = (list: string) =>
    within(screen.getByRole("list", { name: list }))
      .getAllByRole("listitem")
      .map((row) => row.querySelector(".name")?.textContent);
  await screen.findByText("1 could not be added.");
  expect(names("Not imported")).toEqual(["No"]);
  screen.getByText("2 feeds were added, but could not be fetched yet.");
  expect(names("Feeds not fetched yet")).toEqual(["Gone", "Interrupted"]);
  screen.getByRole("button", { name: "Retry 2 failed feeds" });
});
