// The account's settings: password, passkeys, devices, tokens, webhooks, invitations, the archive, and the end of it all.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type App, password, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { message } from "./harness/catalog.ts";
import { eventuallyEquals, hasFocus, tick } from "./harness/eventually.ts";
import { isRehearsal } from "./harness/paths.ts";
import type { Reader } from "./harness/reader.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;
/** Passkeys belong to a name, not to digits. */
let named: string;

before(async () => {
  app = await startApp({ isOwn: true });
  named = !isRehearsal ? app.backend.base.replace("127.0.0.1", "localhost") : app.backend.base;
});
after(() => app?.close());

async function openSection(reader: Reader, section: string): Promise<void> {
  await reader.page.goto(`${reader.base}/settings/${section}`);
  await reader.page.locator(".section > .card").first().waitFor();
}

/** Goes to another section without loading the page again. */
async function switchTo(reader: Reader, section: string): Promise<void> {
  await reader.page.locator(`nav a[href="/settings/${section}"]`).click();
  await eventuallyEquals("the address", () => reader.path(), `/settings/${section}`);
  await reader.page.locator(".section > .card").first().waitFor();
}

const card = (reader: Reader, heading: string) =>
  reader.page.locator(".card").filter({
    has: reader.page.getByRole("heading", { level: 2, name: heading, exact: true }),
  });

test("the password is changed with the current one, and the wrong one is named (ja)", async () => {
  const anna = await app.addUser("anna");
  const as = await app.signIn(anna);
  const other = await app.signIn(anna);
  await app.visit({ as, locale: "ja" }, async (reader) => {
    const { page } = reader;
    reader.watch.expectStatus(403);
    await openSection(reader, "devices");
    await eventuallyEquals("the devices", () => page.locator(".card li").count(), 2);
    await switchTo(reader, "account");
    await page.getByText(message("ja", "Change password")).click();
    const current = page.locator("#current");
    await current.fill("not the password");
    await page.locator("#new-password").fill("a newer password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("現在のパスワード").waitFor();
    await assertAccessible(page, "the wrong password");
    await current.fill(password);
    await page.keyboard.press("Enter");
    await reader
      .toast(message("ja", "Password changed. All other devices were signed out."))
      .waitFor();
    await switchTo(reader, "devices");
    await eventuallyEquals("the devices", () => page.locator(".card li").count(), 1);
  });
  await app.visit({ as: other }, async (reader) => {
    const answer = await reader.page.context().request.get(`${app.backend.base}/api/me`);
    assert.equal(answer.status(), 401);
  });
});

test("a device is signed out by keyboard, and the focus stays in the list", async () => {
  const ben = await app.addUser("ben");
  const as = await app.signIn(ben);
  for (let n = 0; n < 2; n += 1) await app.signIn(ben);
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    await openSection(reader, "devices");
    const ends = page.locator(".card li button");
    await eventuallyEquals("the others", () => ends.count(), 2);
    await ends.first().focus();
    await reader.press("Enter");
    await reader.toast("Device signed out").waitFor();
    await eventuallyEquals("the others", () => ends.count(), 1);
    await page.getByRole("button", { name: "Sign out all other devices" }).focus();
    await reader.press("Enter");
    await reader.toast("1 device signed out").waitFor();
    await eventuallyEquals("the others", () => ends.count(), 0);
    await hasFocus(reader);
  });
});

test("a token is shown once, opens what it may, and is revoked when the page is left", async () => {
  const as = await app.user("cleo");
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    await openSection(reader, "tokens");
    await page.getByText("No tokens yet").waitFor();
    await page.locator("#token-name").fill("News ticker");
    await page.keyboard.press("Enter");
    const field = page.getByLabel("Token", { exact: true });
    const token = await field.inputValue();
    assert.match(token, /^ruri_/);
    await assertAccessible(page, "a new token");
    await keepScreenshot(page, "screens/settings-token.png");
    const open = () =>
      fetch(`${app.backend.base}/api/feeds`, {
        headers: { Authorization: `Bearer ${token}` },
      }).then((answer) => answer.status);
    if (!isRehearsal) assert.equal(await open(), 200);
    await page.getByRole("button", { name: "Done" }).click();
    await eventuallyEquals(
      "whether it is shown",
      async () => (await page.content()).includes(token),
      false,
    );

    const row = card(reader, "API tokens").locator("li");
    await row.getByText("News ticker").waitFor();
    const revoke = row.getByRole("button", { name: "Revoke: News ticker" });
    await revoke.click();
    await eventuallyEquals("the tokens", () => row.count(), 0);
    await eventuallyEquals("the focus", () => reader.focus(), "h2.");
    await page.keyboard.press("z");
    await eventuallyEquals("the tokens", () => row.count(), 1);
    if (!isRehearsal) assert.equal(await open(), 200);
    await revoke.click();
    // The page that is left sends it; a list that is asked for in that moment could still be old.
    await openSection(reader, "display");
    const working = async () =>
      (
        await reader.api.get<{ tokens: { revokedAt: string | null }[] }>("/api/tokens")
      ).tokens.filter((token) => token.revokedAt === null).length;
    await eventuallyEquals("the server's working tokens", working, 0);
    await switchTo(reader, "tokens");
    await page.getByText("No tokens yet").waitFor();
    await page.getByText("1 expired or revoked token").click();
    await page.getByText(/revoked now/).waitFor();
    if (!isRehearsal) await eventuallyEquals("what it opens", open, 401);
  });
});

test("a passkey is registered, renamed and, after signing in again, removed", async () => {
  const dora = await app.addUser("dora");
  await app.visit({ as: null, base: named }, async (reader) => {
    const { page } = reader;
    reader.watch.expectStatus(401);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("WebAuthn.enable");
    await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${named}/login`);
    await page.locator("#email").fill(dora);
    await page.locator("#password").fill(password);
    await page.keyboard.press("Enter");
    // By way of all items, which are none yet.
    await eventuallyEquals("the address", () => reader.path(), "/welcome");
    await openSection(reader, "account");
    await page.locator("#passkey-name").fill("Phone");
    await page.keyboard.press("Enter");
    await reader.toast("Passkey added").waitFor();
    const rows = card(reader, "Passkeys").locator("li");
    await rows.getByText("Rename", { exact: true }).first().click();
    await rows.getByLabel("New name").fill("Old phone");
    await page.keyboard.press("Enter");
    await rows.locator(".name", { hasText: "Old phone" }).waitFor();
    await assertAccessible(page, "a passkey");
    await keepScreenshot(page, "screens/settings-passkey.png");

    // An hour later.
    await page.route("**/api/sessions", async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      for (const one of body.sessions ?? []) one.createdAt = "2020-01-01T00:00:00Z";
      await route.fulfill({ json: body });
    });
    await rows.getByRole("button", { name: "Remove: Old phone" }).click();
    await reader.dialog().getByText("Sign in again to continue.").waitFor();
    await assertAccessible(page, "sign in again");
    await page.locator("#again").fill("wrong");
    await page.keyboard.press("Enter");
    await reader.dialog().getByRole("alert").waitFor();
    await page.locator("#again").fill(password);
    await page.keyboard.press("Enter");
    await eventuallyEquals("the passkeys", () => rows.count(), 0);
    await page.unrouteAll({ behavior: "wait" });
    await page.reload();
    await eventuallyEquals("the passkeys", () => rows.count(), 0);
    await switchTo(reader, "devices");
    await eventuallyEquals("the devices", () => page.locator(".card li").count(), 1);
  });
});

test("a webhook is made, tested, switched off and deleted", async () => {
  const as = await app.user("emil");
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    await openSection(reader, "webhooks");
    await page.locator("#hook-url").fill(app.publisher.url("/status/503"));
    await page.keyboard.press("Enter");
    await page.getByLabel("Secret", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    const hook = page.locator(".hook");
    await hook.getByRole("button", { name: /^Test/ }).click();
    await hook.getByText("HTTP 405: The address responded with an error.").first().waitFor();
    await assertAccessible(page, "a webhook");
    await keepScreenshot(page, "screens/settings-webhook.png");
    // Edited as a whole; what is refused stays in the form; `z` brings the old address back.
    await hook.getByRole("button", { name: /^Edit/ }).click();
    const address = reader.dialog().getByLabel("URL");
    await eventuallyEquals(
      "the focus",
      () => address.evaluate((f) => f === document.activeElement),
      true,
    );
    assert.equal(await address.inputValue(), app.publisher.url("/status/503"));
    await address.fill(app.publisher.url("/status/404"));
    await reader.dialog().getByLabel("Starred articles").check();
    await assertAccessible(page, "a webhook is edited");
    await keepScreenshot(page, "screens/settings-webhook-edit.png");
    await page.keyboard.press("Enter");
    await reader.toast("Webhook saved").waitFor();
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    const hooks = async () =>
      (
        await reader.api.get<{ webhooks: { url: string; events: string[] }[] }>("/api/webhooks")
      ).webhooks.map(({ url, events }) => [new URL(url).pathname, events.length]);
    await eventuallyEquals("the webhook", hooks, [["/status/404", 2]]);
    await page.keyboard.press("z");
    await eventuallyEquals("the webhook", hooks, [["/status/503", 1]]);
    const isOn = async () =>
      (await reader.api.get<{ webhooks: { isEnabled: boolean }[] }>("/api/webhooks")).webhooks.map(
        (one) => one.isEnabled,
      );
    await hook.getByRole("switch").click();
    await eventuallyEquals("the webhook", isOn, [false]);
    await page.keyboard.press("z");
    await eventuallyEquals("the webhook", isOn, [true]);
    await hook.getByRole("button", { name: /^Delete/ }).click();
    await page.getByText("No webhooks yet").waitFor();
    await page.reload();
    await eventuallyEquals("the webhooks", isOn, []);
  });
});

test("the owner opens the door and invites; others see nothing of it", async () => {
  await app.visit({ as: await app.owner() }, async (reader) => {
    const { page } = reader;
    await openSection(reader, "people");
    const signUp = async () => (await reader.api.get<{ signUp: string }>("/api/site")).signUp;
    const before = await signUp();
    await tick(page.getByRole("radiogroup", { name: "Who may sign up" }).getByLabel("Anyone"));
    await reader.toast("Who may sign up: Anyone").waitFor(); // undo is offered once the server has agreed
    assert.equal(await signUp(), "open");
    await page.keyboard.press("z");
    await eventuallyEquals("signing up", signUp, before);
    await page.locator("#note").fill("For Frida");
    await page.keyboard.press("Enter");
    const link = await page.getByLabel("Invitation link").inputValue();
    assert.match(link, /\/auth\/invite\//);
    await assertAccessible(page, "an invitation");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Revoke: For Frida" }).click();
    await openSection(reader, "display");
    const open = async () =>
      (await reader.api.get<{ invitations: object[] }>("/api/invitations")).invitations.length;
    await eventuallyEquals("the server's invitations", open, 0);
    await switchTo(reader, "people");
    await eventuallyEquals("the invitations", () => page.locator(".card li").count(), 0);
  });
  await app.visit({ as: await app.user("frida") }, async (reader) => {
    await openSection(reader, "display");
    const nav = reader.page.getByRole("navigation", { name: "Settings" });
    await nav.getByRole("link", { name: "Account" }).waitFor();
    assert.equal(await nav.getByRole("link", { name: "People" }).count(), 0);
    await reader.page.goto(`${app.backend.base}/settings/people`);
    await reader.page.getByText("These settings do not exist.").waitFor();
  });
});

// G-42, G-60
test("all that is one's own goes out and comes in; the account goes after asking", async () => {
  const gustav = await app.addUser("gustav");
  const as = await app.signIn(gustav);
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    reader.watch.expectStatus(400, 401, 403, 422);
    await reader.api.addFeed(app.publisher.url("/feeds/plain.xml"));
    await openSection(reader, "data");
    const archive = await reader.download(() =>
      page.getByRole("button", { name: "Export everything" }).click(),
    );
    const stars = await reader.download(() =>
      page.getByRole("button", { name: "Export starred articles" }).click(),
    );
    assert.equal(stars.name, "ruri-starred.json");
    await page.getByRole("button", { name: "Import starred articles" }).click();
    await reader.dialog().waitFor();
    await page.keyboard.press("Escape");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    const file = page.locator("input[type=file]");
    await file.setInputFiles({
      name: "ruri.zip",
      mimeType: "application/zip",
      buffer: archive.content,
    });
    await page.getByText("Archive imported.").waitFor();
    await file.setInputFiles({
      name: "broken.zip",
      mimeType: "application/zip",
      buffer: Buffer.from("no archive"),
    });
    await page.getByRole("alert").waitFor();
    await assertAccessible(page, "an archive that is none");

    await page.getByRole("button", { name: "Delete account…" }).click();
    const confirm = reader.dialog().locator("#confirm");
    await eventuallyEquals(
      "the focus",
      () => confirm.evaluate((f) => f === document.activeElement),
      true,
    );
    await page.keyboard.press("Escape");
    await eventuallyEquals("the dialog", () => reader.dialog().count(), 0);
    await page.keyboard.press("Enter");
    await confirm.fill("somebody@example.org");
    await page.keyboard.press("Enter");
    await reader.dialog().getByRole("alert").waitFor();
    await assertAccessible(page, "deleting the account");
    await keepScreenshot(page, "screens/settings-delete.png");
    await confirm.fill(gustav);
    await page.keyboard.press("Enter");
    await page.locator("#email").waitFor();
    assert.equal((await page.context().request.get(`${app.backend.base}/api/me`)).status(), 401);
  });
});
