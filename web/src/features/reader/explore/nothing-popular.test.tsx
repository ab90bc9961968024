import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { CountsOff } from "./counts-off";
import { NothingPopular } from "./nothing-popular";

const explored = { tab: "hot", threshold: 50, period: "week", tag: "" } as const;

it("says to the owner what counts would disclose, and switches them on", async () => {
  const { calls } = mockServer({
    "GET /api/me": { body: aBeginning({ isOwner: true }) },
    "PUT /api/site": { body: { bookmarkCounts: { isOn: true } } },
  });
  renderApp(<CountsOff />);
  await userEvent.click(await screen.findByRole("button", { name: "Show bookmark counts" }));
  expect(screen.getByText(/are sent to Hatena Co., Ltd. in Japan/)).toBeTruthy();
  await expect
    .poll(() => calls.find(({ route }) => route === "PUT /api/site")?.body)
    .toEqual({ bookmarkCounts: { isOn: true } });
});

it("goes to the settings where the owner has to sign in again", async () => {
  mockServer({
    "GET /api/me": { body: aBeginning({ isOwner: true }) },
    "PUT /api/site": problem(403, "sign_in_again", "forbidden"),
  });
  renderApp(<CountsOff />);
  await userEvent.click(await screen.findByRole("button", { name: "Show bookmark counts" }));
  await expect.poll(() => location.pathname).toBe("/settings/popularity");
});

it.each(["off", "collecting"] as const)("says what is listed without counts: %s", (counts) => {
  mockServer({ "GET /api/me": { body: aBeginning() } });
  renderApp(<NothingPopular explored={explored} counts={counts} />);
  expect(
    screen.getByText("Articles that several of your feeds link to are listed here."),
  ).toBeTruthy();
  expect(screen.queryByText(/first bookmark counts/) !== null).toBe(counts === "collecting");
  expect(screen.getByRole("button", { name: "Add a feed" })).toBeTruthy();
});

it("offers fewer bookmarks and older articles", () => {
  mockServer({ "GET /api/me": { body: aBeginning() } });
  renderApp(<NothingPopular explored={explored} counts="ready" />);
  const links = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
  expect(links).toEqual(["/my/popular/hot?n=10", "/my/popular/hot?n=50&p=all"]);
});

it("lists tags with how many articles have them", async () => {
  const tags = [
    { name: "CI/CD", entries: 4, score: 1 },
    { name: "猫", entries: 3, score: 0.4 },
  ];
  const { calls } = mockServer({
    "GET /api/tags": { body: { tags, state: "ready", namesYahoo: true } },
  });
  renderApp(<NothingPopular explored={{ ...explored, tab: "tags" }} counts={undefined} />);
  const link = await screen.findByRole("link", { name: "CI/CD" });
  expect(link.getAttribute("href")).toBe("/my/popular/new?t=CI%2FCD");
  expect(screen.getAllByRole("listitem").map((row) => row.textContent)).toEqual([
    "CI/CD 4 articles",
    "猫 3 articles",
  ]);
  expect(calls[0]?.search).toBe("?period=week");
  expect(screen.getByRole("link", { name: "Web Services by Yahoo! JAPAN" })).toBeTruthy();
});

it("says why there are no tags", async () => {
  mockServer({ "GET /api/tags": { body: { tags: [], state: "collecting", namesYahoo: false } } });
  renderApp(<NothingPopular explored={{ ...explored, tab: "tags" }} counts={undefined} />);
  await screen.findByText("No tags yet");
});
