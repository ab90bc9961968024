import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aFeed, aReport } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { SampleNote } from "./sample-note";

it("removes the samples together, and brings them back", async () => {
  const { calls } = mockServer({
    "DELETE /api/feeds/1": { status: 204 },
    "DELETE /api/feeds/2": { status: 204 },
    "POST /api/import/opml": { body: aReport({ total: 2 }) },
  });
  renderApp(
    <SampleNote
      feeds={[
        aFeed({ id: "1", isSample: true }),
        aFeed({ id: "2", isSample: true }),
        aFeed({ id: "3" }),
      ]}
    />,
  );
  const user = userEvent.setup();
  screen.getByText("2 sample feeds are included so you can try things out.");
  await user.click(screen.getByRole("button", { name: "Remove samples" }));
  await user.click(await screen.findByRole("button", { name: "Undo (z)" }));
  const routes = () => calls.map((call) => call.route);
  await waitFor(() => expect(routes()).toContain("POST /api/import/opml"));
  expect(routes().slice(0, 2)).toEqual(["DELETE /api/feeds/1", "DELETE /api/feeds/2"]);
});

it("says nothing where there are none", () => {
  const { container } = renderApp(<SampleNote feeds={[aFeed({})]} />);
  expect(container.querySelector(".samples")).toBeNull();
});
