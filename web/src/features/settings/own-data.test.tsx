import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { OwnData } from "./own-data";

const running = {
  success: true,
  id: "7",
  kind: "archive",
  state: "processing",
  name: "",
  total: 200,
  done: 50,
  imported: 0,
  alreadySubscribed: 0,
  failed: 0,
  createdAt: "2026-11-22T00:00:00Z",
  endedAt: null,
  feedIds: [],
  errors: [],
  archive: { feeds: 0, subscribed: 0, feedsWaiting: 0, items: 0, itemsWaiting: 0, rules: 0 },
};

it("follows an archive that is imported in the background, and says what it has brought", async () => {
  let asked = 0;
  mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/imports": { body: { imports: [] } },
    "POST /api/users/me/import": { status: 202, body: running },
    "GET /api/imports/7": () => {
      asked += 1;
      if (asked < 2) return { body: running };
      const archive = { ...running.archive, items: 100_000, rules: 1 };
      const errors = [{ url: "https://s.example/", message: "No." }];
      return {
        body: {
          ...running,
          state: "completed",
          done: 200,
          endedAt: running.createdAt,
          archive,
          failed: 3,
          errors,
        },
      };
    },
  });
  renderApp(<OwnData onImport={() => undefined} />);
  const user = userEvent.setup();
  await user.upload(await screen.findByLabelText("Archive"), new File(["x"], "ruri.zip"));
  const bar = await screen.findByRole("progressbar", { name: "Import progress" });
  expect([bar.getAttribute("value"), bar.getAttribute("max")]).toEqual(["50", "200"]);
  await screen.findByText("Archive imported.", {}, { timeout: 10_000 });
  screen.getByText(/0 new feeds, 100,?000 articles, 1 rule\./);
  screen.getByText("https://s.example/: No.");
  screen.getByText("2 more could not be imported.");
});
