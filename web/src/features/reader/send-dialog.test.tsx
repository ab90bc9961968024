import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { openApp } from "@/testing/app";
import { anItem } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { SendDialog } from "./send-dialog";

const item = anItem({ id: "11", title: "A walk at noon" });
const hook = (id: string, over: object = {}) => ({
  id,
  url: `https://h${id}.example/x`,
  format: "slack",
  isEnabled: true,
  events: ["sent"],
  ...over,
});

const serve = (webhooks: readonly object[], outcome: object = { code: null, message: null }) => ({
  "GET /api/webhooks": { body: { webhooks } },
  "POST /api/items/11/send": { body: { outcome } },
});

function open(...args: Parameters<typeof serve>) {
  const server = mockServer(serve(...args));
  renderApp(<SendDialog item={item} />);
  return server;
}

it("sends the article to the chosen one of the webhooks for that", async () => {
  const { calls } = open([
    hook("1"),
    hook("2", { format: "ruri" }),
    hook("3", { isEnabled: false }),
    hook("4", { events: ["new"] }),
  ]);
  await screen.findByRole("button", { name: "Slack (h1.example)" });
  expect(screen.queryByRole("button", { name: /h3|h4/ })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "h2.example" }));
  await screen.findByText("Sent to h2.example");
  const sent = calls.find(({ route }) => route.startsWith("POST /api/items/11/send"));
  expect(sent?.body).toEqual({ webhookId: "2" });
});

it("says that it was not delivered yet, and why", async () => {
  open([hook("1")], { code: "refused", message: "The server answered 500." });
  await userEvent.click(await screen.findByRole("button", { name: "Slack (h1.example)" }));
  await screen.findByText("Not sent to Slack (h1.example) yet. The server answered 500.");
});

it("opens by key for the selected article, and leads to the settings where there is no webhook", async () => {
  openApp("/all?v=read", {
    "GET /api/items": { body: { items: [item], nextCursor: null } },
    ...serve([]),
  });
  await screen.findByText("A walk at noon");
  await userEvent.keyboard("n{Shift>}E{/Shift}");
  await screen.findByRole("dialog", { name: "Send to…" });
  const link = await screen.findByRole("link", { name: "Webhooks" });
  expect(link.getAttribute("href")).toBe("/settings/webhooks");
});
