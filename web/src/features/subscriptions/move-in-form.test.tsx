import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aBeginning, aReport } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { ImportDialog } from "./import-dialog";

it("moves in from another reader, and says what came or why nothing did", async () => {
  const archive = {
    feeds: 3,
    subscribed: 3,
    feedsWaiting: 1,
    items: 2,
    itemsWaiting: 0,
    rules: 0,
  };
  const report = aReport({ id: "9", kind: "reader", name: "https://rss.example", total: 100 });
  const sent: unknown[] = [];
  mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/imports": { body: { imports: [] } },
    "POST /api/import/reader": ({ body }) => {
      sent.push(body);
      return sent.length === 1
        ? { status: 400, body: { code: "bad_url", message: "No address.", action: "Look." } }
        : { status: 202, body: { ...report, done: 0, state: "pending", archive } };
    },
    "GET /api/imports/9": { body: { ...report, done: 100, state: "completed", archive } },
  });
  renderApp(<ImportDialog onClose={() => undefined} />);
  const user = userEvent.setup();
  await user.click(await screen.findByText("Move in from another reader"));
  await user.type(screen.getByLabelText("Address of the reader"), "https://rss.example");
  await user.type(screen.getByLabelText(/^Name or email address there/), "anna");
  await user.type(screen.getByLabelText("Password or token there"), "secret");
  await user.click(screen.getByRole("button", { name: "Move in" }));
  await screen.findByText(/No address\./);
  await user.click(screen.getByRole("button", { name: "Move in" }));
  await screen.findByText("Moved in from the other reader.", {}, { timeout: 10_000 });
  screen.getByText(/3 new feeds, 2 articles\./);
  screen.getByText(/Move in again later/);
  expect(sent[1]).toEqual({ url: "https://rss.example", login: "anna", password: "secret" });
});
