import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { Shares } from "./shares";

const old = { id: "1", of: "starred", title: "My stars", createdAt: "2026-11-22T00:00:00Z" };

it("shares a list, shows its addresses once, and lists and revokes those that are shared", async () => {
  const { calls } = mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/shares": { body: { shares: [old] } },
    "POST /api/shares": {
      status: 201,
      body: {
        share: {
          ...old,
          id: "2",
          title: "Good",
          atomUrl: "https://reader.example/api/shared/x.atom",
          jsonUrl: "https://reader.example/api/shared/x.json",
        },
      },
    },
  });
  renderApp(<Shares />);
  const user = userEvent.setup();
  await screen.findByText("My stars");
  await user.type(screen.getByLabelText("Title (optional)"), "Good");
  await user.click(screen.getByRole("button", { name: "Share list" }));
  const atom = await screen.findByLabelText<HTMLInputElement>("Atom");
  expect(atom.value).toBe("https://reader.example/api/shared/x.atom");
  expect(calls.find(({ route }) => route === "POST /api/shares")?.body).toEqual({
    of: "starred",
    title: "Good",
  });
  await user.click(screen.getByRole("button", { name: "Done" }));
  expect(screen.queryByLabelText("Atom")).toBeNull();
  const rows = within(screen.getAllByRole("list")[0] as HTMLElement);
  expect(rows.getAllByRole("listitem").length).toBe(2);
  await user.click(screen.getByRole("button", { name: "Revoke: My stars" }));
  expect(screen.queryByText("My stars")).toBeNull();
});

it("says when there are too many", async () => {
  mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/shares": { body: { shares: [] } },
    "POST /api/shares": problem(409, "share_limit", "input", {
      message: "You have reached the limit of 10 shared links.",
    }),
  });
  renderApp(<Shares />);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Share list" }));
  await screen.findByText("You have reached the limit of 10 shared links.");
});
