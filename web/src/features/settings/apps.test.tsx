import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { encode } from "uqr";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Token } from "@/data/account/tokens";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { Apps } from "./apps";
import { Tokens } from "./tokens";

const secret = "ruri-abcde-fghjk-mnpqr-stuvw";

function aPassword(over: Partial<Token> = {}): Token {
  return {
    id: "1",
    name: "NetNewsWire",
    description: "",
    scopes: ["sync"],
    createdAt: new Date().toISOString(),
    createdBy: null,
    createdOn: null,
    createdIn: null,
    revokedAt: null,
    expiresAt: null,
    lastUsedAt: null,
    lastUsedBy: null,
    email: "reader@example.jp",
    ...over,
  };
}

function serve(tokens: Token[], refusal?: ReturnType<typeof problem>) {
  const server = mockServer({
    "GET /api/me": { body: aBeginning() },
    "GET /api/tokens": () => ({ body: { tokens } }),
    "POST /api/tokens": ({ body }) => {
      if (refusal) return refusal;
      const made = aPassword({ id: "made", name: (body as { name: string }).name });
      tokens.unshift(made);
      return { status: 201, body: { ...made, token: secret } };
    },
  });
  renderApp(<Apps />);
  return server;
}

const choose = (app: string) => userEvent.selectOptions(screen.getByLabelText("App"), app);
const create = () => userEvent.click(screen.getByRole("button", { name: "Create app password" }));

afterEach(() => vi.useRealTimers());

describe("the steps", () => {
  it.each([
    ["NetNewsWire", "FreshRSS", "http://localhost:3000/api/greader.php"],
    ["Unread", "Fever", "http://localhost:3000/fever/"],
    ["Fluent Reader", "Google Reader API", "http://localhost:3000/api/greader.php"],
    // These two add the path themselves.
    ["RSS Guard", "Google Reader API (FreshRSS)", "http://localhost:3000"],
    ["Readrops", "FreshRSS", "http://localhost:3000"],
  ])("of %s name the service and the address", async (app, service, address) => {
    serve([]);
    await choose(app);
    expect(screen.getByText(service).parentElement?.textContent).toBe(
      `In ${app}, add an account and choose ${service}.`,
    );
    const values = screen.getAllByRole("definition").map((one) => one.textContent);
    await waitFor(() =>
      expect(screen.getAllByRole("definition")[1]?.textContent).toBe("reader@example.jp"),
    );
    expect(values[0]).toBe(address);
  });

  it("of newsboat are lines for its file, with the password once there is one", async () => {
    serve([]);
    await choose("newsboat");
    const lines = () => document.querySelector("pre")?.textContent?.split("\n");
    await waitFor(() => expect(lines()?.[2]).toBe('freshrss-login "reader@example.jp"'));
    expect(lines()?.[3]).toBe('freshrss-password "ruri-…"');
    await create();
    await waitFor(() => expect(lines()?.[3]).toBe(`freshrss-password "${secret}"`));
  });

  it("of another app have every address, and it is named by the person", async () => {
    const { calls } = serve([]);
    await choose("Another app");
    const values = screen.getAllByRole("definition").map((one) => one.textContent);
    expect(values.slice(0, 3)).toEqual([
      "http://localhost:3000/api/greader.php",
      "http://localhost:3000",
      "http://localhost:3000/fever/",
    ]);
    await userEvent.type(screen.getByLabelText("Name of the app"), " Vienna ");
    await create();
    await screen.findByLabelText("App password");
    const made = calls.find(({ route }) => route === "POST /api/tokens");
    expect(made?.body).toEqual({ name: "Vienna", scopes: ["sync"], expiresAt: null });
  });
});

it("shows a password once, and says when the app has used it", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const tokens: Token[] = [];
  serve(tokens);
  await choose("NetNewsWire");
  await create();
  const field = await screen.findByLabelText<HTMLInputElement>("App password");
  expect(field.value).toBe(secret);
  expect(screen.getByLabelText<HTMLSelectElement>("App").disabled).toBe(true);
  await screen.findByText("Waiting for the app to sign in…");
  tokens[0] = {
    ...aPassword(tokens[0]),
    lastUsedAt: new Date().toISOString(),
    lastUsedBy: "okhttp",
  };
  await act(() => vi.advanceTimersByTimeAsync(6_000));
  await screen.findByText("Connected: NetNewsWire has signed in.");
  screen.getByText(/^last sync: now \(okhttp\) · created now$/);

  await userEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(document.body.innerHTML).not.toContain(secret);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("App")));
});

it("says why no password was created, and keeps the choice", async () => {
  serve([], problem(409, "too_many_tokens", "validation"));
  await choose("Read You");
  await create();
  await screen.findByText(/message of too_many_tokens/);
  expect(screen.getByLabelText<HTMLSelectElement>("App").value).toBe("Read You");
});

it("has the address in the QR code, and the password only when asked for", async () => {
  const drawn = () => screen.getByRole("img", { name: "QR code" }).firstElementChild;
  const shows = (text: string) => {
    const dark = encode(text, { ecc: "M", border: 4 }).data.flatMap((row, y) =>
      row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")),
    );
    expect(drawn()?.getAttribute("d")).toBe(dark.join(""));
  };
  serve([]);
  await choose("Read You");
  const open = async () => {
    const summary = screen.getByText("QR code for a phone");
    await userEvent.click(summary);
    await screen.findByRole("img", { name: "QR code" });
  };
  const address = "http://localhost:3000/api/greader.php";
  await open();
  shows(address);
  expect(screen.queryByRole("switch")).toBeNull();
  await create();
  await screen.findByLabelText("App password");
  shows(address);
  await userEvent.click(screen.getByRole("switch", { name: /^Include user name/ }));
  shows(`${address}\nreader@example.jp\n${secret}`);
});

describe("the list", () => {
  it("has the app passwords, not the tokens, and when each was used", async () => {
    const used = new Date(Date.now() - 3 * 3600_000).toISOString();
    serve([
      aPassword({ name: "Reeder Classic", lastUsedAt: used, lastUsedBy: "Reeder" }),
      aPassword({ id: "2", name: "Unread", email: "old@example.jp" }),
      aPassword({ id: "3", name: "Ticker", scopes: ["read"], email: null }),
    ]);
    const rows = await screen.findAllByRole("listitem");
    expect(rows).toHaveLength(2);
    expect(rows[0]?.textContent).toContain("last sync: 3 hr. ago (Reeder) · created");
    expect(rows[1]?.textContent).toContain("never used");
    // The key that Fever apps send was computed with the address of that time.
    await within(rows[1] as HTMLElement).findByText(
      "Apps that use Fever still sign in with old@example.jp here.",
    );
    expect(rows[0]?.textContent).not.toContain("Fever");
  });

  it("leaves the app passwords out of the API tokens", async () => {
    mockServer({
      "GET /api/me": { body: aBeginning() },
      "GET /api/tokens": { body: { tokens: [aPassword()] } },
    });
    renderApp(<Tokens />);
    await screen.findByText(/^No tokens yet/);
  });

  it("asks again every few seconds only while a new password waits for its first use", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const tokens = [aPassword({ createdAt: new Date(Date.now() - 3600_000).toISOString() })];
    const { calls } = serve(tokens);
    await screen.findByText("NetNewsWire", { selector: ".name" });
    const asked = () => calls.filter(({ route }) => route === "GET /api/tokens").length;
    const before = asked();
    await act(() => vi.advanceTimersByTimeAsync(59_000));
    expect(asked()).toBe(before);
    await act(() => vi.advanceTimersByTimeAsync(62_000));
    expect(asked()).toBe(before + 2);
  });
});
