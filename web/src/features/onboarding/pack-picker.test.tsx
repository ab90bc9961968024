import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aFeed, aReport } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { PackPicker } from "./pack-picker";
import { techEn } from "./packs/tech-en";

it("subscribes to all that is ticked with one request, each into its pack's folder", async () => {
  let sent = "";
  const { calls } = mockServer({
    "POST /api/import/opml": async ({ body }) => {
      sent = await ((body as FormData).get("file") as File).text();
      return { body: aReport({}) };
    },
  });
  const [first, second] = techEn.feeds;
  renderApp(<PackPicker feeds={[aFeed({ url: first?.url ?? "" })]} cap={3} />);
  const user = userEvent.setup();
  expect(screen.getByRole("button", { name: "Select feeds" }).ariaDisabled).toBe("true");
  await user.click(screen.getByRole("checkbox", { name: /^English tech/ }));
  await user.click(screen.getByRole("button", { name: "Feeds in English tech" }));
  const had = screen.getByRole<HTMLInputElement>("checkbox", { name: /^Hacker News/ });
  expect([had.checked, had.disabled]).toEqual([true, true]);
  await user.click(screen.getByRole("checkbox", { name: second?.title ?? "" }));
  const count = techEn.feeds.length - 2;
  screen.getByText("Limit: 3 subscriptions. You can add 2 more.");
  const all = screen.getByRole<HTMLInputElement>("checkbox", { name: /^English tech/ });
  expect([all.checked, all.indeterminate]).toEqual([false, true]);
  await user.click(screen.getByRole("button", { name: `Subscribe to ${count} feeds` }));
  await waitFor(() => expect(calls.some((call) => call.route.startsWith("POST"))).toBe(true));
  const doc = new DOMParser().parseFromString(sent, "text/xml");
  expect(doc.querySelectorAll("[xmlUrl]")).toHaveLength(count);
  expect(doc.querySelector("body > outline")?.getAttribute("text")).toBe("English tech");
  await screen.findByRole("button", { name: "Select feeds" });
});
