import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { readPreference, setPreference } from "@/data/preferences";
import { aBeginning, aFeed } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { FirstSteps } from "./first-steps";
import { isThisComputer } from "./phone-address";
import { endStart, startPreference } from "./start-state";

const sample = aFeed({ isSample: true });
const own = aFeed({ id: "2" });

function open(
  begin: { needsPassword?: boolean },
  feeds = [own],
  address = "https://reader.example.org/",
) {
  const server = mockServer({
    "GET /api/me": { body: { ...aBeginning(), ...begin, feeds } },
    "GET /api/feeds": {
      body: { feeds, totals: { feeds: 1, unread: 0, starred: 0 }, limits: { feeds: 100 } },
    },
    "PUT /api/users/me/password": { status: 204 },
  });
  const view = renderApp(<FirstSteps onImport={() => {}} address={address} />);
  return { ...server, ...view };
}

const strip = () => screen.queryByRole("region", { name: "Get started" });

beforeEach(() => setPreference(startPreference, "on"));

it("offers the four ways, and a code for the phone where one can reach the address", async () => {
  open({});
  await screen.findByRole("link", { name: "Starter packs" });
  screen.getByRole("button", { name: "Import OPML" });
  screen.getByRole("button", { name: "Add a feed" });
  const phone = screen.getByRole("button", { name: "Read on your phone" });
  await userEvent.click(phone);
  await screen.findByRole("img", { name: "QR code" });
  expect(screen.queryByText(/Without https/)).toBeNull();
  expect(readPreference(startPreference)).toBe("phone");
  await userEvent.click(phone);
  expect(screen.queryByRole("img")).toBeNull();
});

it.each([
  ["http://192.168.1.20:8080/", /Without https/, true],
  ["http://localhost:8080/", /only works on this computer/, false],
])("says of %s what a phone needs", async (address, text, hasCode) => {
  open({}, [own], address);
  await userEvent.click(await screen.findByRole("button", { name: "Read on your phone" }));
  await screen.findByText(text);
  if (hasCode) await screen.findByRole("img", { name: "QR code" });
  else expect(screen.queryByRole("img")).toBeNull();
});

it("asks whoever came by a link for a password, once", async () => {
  const { calls } = open({ needsPassword: true });
  const field = await screen.findByLabelText(/New password/);
  await userEvent.type(field, "correct horse");
  await userEvent.click(screen.getByRole("button", { name: "Set password" }));
  await waitFor(() => expect(screen.queryByLabelText(/New password/)).toBeNull());
  const sent = calls.find(({ route }) => route.startsWith("PUT"));
  expect(sent?.body).toEqual({ password: "correct horse", revokeTokens: false });
});

it("goes away when it is hidden, or when all is done", async () => {
  const { unmount } = open({});
  await userEvent.click(await screen.findByRole("button", { name: "Hide the first steps" }));
  expect(strip()).toBeNull();
  expect(readPreference(startPreference)).toBe("");
  unmount();

  setPreference(startPreference, "phone");
  const done = open({});
  await waitFor(() => expect(done.calls.length).toBeGreaterThan(0));
  await new Promise(requestAnimationFrame);
  expect(strip()).toBeNull();
  done.unmount();
  open({}, [sample]);
  await screen.findByRole("region", { name: "Get started" });
  endStart();
  await waitFor(() => expect(strip()).toBeNull());
});

it("knows which names only this computer understands", () => {
  for (const host of ["localhost", "ruri.localhost", "127.0.0.1", "127.1.2.3", "[::1]"])
    expect(isThisComputer(host), host).toBe(true);
  for (const host of ["192.168.1.2", "ruri.local", "127.example.org", "reader.example.org"])
    expect(isThisComputer(host), host).toBe(false);
});
