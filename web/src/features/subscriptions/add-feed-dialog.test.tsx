import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { aFeed } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { AddFeedDialog } from "./add-feed-dialog";
import { normalUrl } from "./discovery";

const none = {
  body: { feeds: [], totals: { feeds: 0, unread: 0, starred: 0 }, limits: { feeds: 100 } },
};

beforeEach(() => history.replaceState(null, "", "/all"));

function open(answer: Parameters<typeof mockServer>[0][string]) {
  const onClose = vi.fn();
  const { calls } = mockServer({ "GET /api/feeds": none, "POST /api/feeds": answer });
  renderApp(<AddFeedDialog onClose={onClose} onImport={() => {}} />);
  const posts = () =>
    calls.filter((call) => call.route === "POST /api/feeds").map((call) => call.body);
  return { onClose, posts };
}

async function submit(url: string) {
  const user = userEvent.setup();
  const field = screen.getByRole("textbox", { name: "Address of a feed or of a site" });
  if (url) await user.type(field, url);
  await user.click(screen.getByRole("button", { name: "Subscribe" }));
  return field;
}

it("subscribes, closes and shows the feed", async () => {
  const { onClose, posts } = open({
    status: 201,
    body: { feed: aFeed({ id: "12", title: "New" }) },
  });
  await submit("example.jp");
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(posts()).toEqual([{ url: "https://example.jp" }]);
  expect(location.pathname).toBe("/feed/12");
  expect(screen.getByRole("status").textContent).toContain("Subscribed to New.");
});

it("starts in the field, and asks for an address when there is none", async () => {
  const { posts } = open({});
  const field = await submit("");
  expect(field).toBe(document.activeElement);
  expect(screen.getByText("Enter an address.")).toBeDefined();
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(posts()).toEqual([]);
});

it.each([
  ["dns_failure", 422, "feed", "There is no site of this name."],
  ["timeout", 422, "feed", "The site did not answer in time."],
  ["http_403", 422, "feed", "The site refused access (403)."],
  ["blocked_address", 422, "feed", "This reader does not go to that address (private network)."],
  ["bad_url", 400, "validation", "This is not an address of the web (http or https)."],
  [
    "subscription_limit",
    409,
    "validation",
    "You have as many subscriptions as your account allows.",
  ],
  ["never_heard_of", 422, "feed", "message of never_heard_of"],
  ["internal", 500, "system", "This is a fault of ours."],
])("says what went wrong: %s", async (code, status, category, sentence) => {
  const { onClose } = open(problem(status, code, category));
  const field = await submit("https://example.jp/");
  expect((await screen.findByRole("alert")).textContent).toContain(sentence);
  expect(field).toBe(document.activeElement);
  expect(onClose).not.toHaveBeenCalled();
});

it("offers the feeds that the page names", async () => {
  const { onClose, posts } = open(({ body }) =>
    (body as { url: string }).url.endsWith("b.xml")
      ? { status: 201, body: { feed: aFeed({ id: "9" }) } }
      : problem(422, "no_feed_found", "feed", {
          tried: ["https://example.jp/"],
          candidates: [
            { url: "https://example.jp/a.xml", title: "Posts" },
            { url: "https://example.jp/b.xml", title: "Comments" },
          ],
        }),
  );
  await submit("https://example.jp/");
  const list = await screen.findByRole("group", { name: "These feeds were named there" });
  expect(list.textContent).toContain("Posts");
  await userEvent.click(list.querySelectorAll("button")[1] as Element);
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(posts()).toEqual([{ url: "https://example.jp/" }, { url: "https://example.jp/b.xml" }]);
});

it.each([
  ["example.jp", "https://example.jp"],
  ["  http://a.jp/f ", "http://a.jp/f"],
  ["feed://a.jp/f", "https://a.jp/f"],
  ["feed:https://a.jp/f", "https://a.jp/f"],
  ["", ""],
])("reads %j as %j", (typed, want) => {
  expect(normalUrl(typed)).toBe(want);
});
