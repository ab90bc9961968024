// The account's settings: password, passkeys, devices, tokens, webhooks, invitations, the archive, and the end of it all.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible } from "./harness/axe.ts";
import { hasFocus, settles, tick } from "./harness/eventually.ts";
import { artifacts, home } from "./harness/places.ts";
import type { Reader } from "./harness/reader.ts";
import { say } from "./harness/words.ts";
import { openWorld, password, signIn, type World } from "./harness/world.ts";

const screens = join(artifacts, "screens");
let world: World;
/** Passkeys belong to a name, not to digits. */
let named: string;

before(async () => {
  await mkdir(screens, { recursive: true });
  world = await openWorld();
  named = home === "machine" ? world.ruri.base.replace("127.0.0.1", "localhost") : world.ruri.base;
});
after(() => world?.close());

async function openSection(reader: Reader, section: string): Promise<void> {
  await reader.page.goto(`${reader.base}/settings/${section}`);
  await reader.page.locator(".section > .card").first().waitFor();
}

const card = (reader: Reader, heading: string) =>
  reader.page.locator(".card").filter({
    has: reader.page.getByRole("heading", { level: 2, name: heading, exact: true }),
  });

test("the password is changed with the current one, and the wrong one is named (ja)", async () => {
  const as = await world.user("anna@example.org");
  const other = await signIn(world.browser, await world.ruri.linkFor("anna@example.org"));
  await world.visit({ as, locale: "ja" }, async (reader) => {
    const { page } = reader;
    reader.watch.expectStatus(403);
    await openSection(reader, "devices");
    await settles("the devices", () => page.locator(".card li").count(), 2);
    await openSection(reader, "account");
    await page.getByText(say("ja", "Change the password")).click();
    const current = page.locator("#current");
    await current.fill("not the password");
    await page.locator("#new-password").fill("a newer password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("現在のパスワードが違います。").waitFor();
    await assertAccessible(page, "the wrong password");
    await current.fill(password);
    await page.keyboard.press("Enter");
    await reader
      .toast(say("ja", "The password is changed. All other devices are signed out."))
      .waitFor();
    await openSection(reader, "devices");
    await settles("the devices", () => page.locator(".card li").count(), 1);
  });
  await world.visit({ as: other }, async (reader) => {
    const answer = await reader.page.context().request.get(`${world.ruri.base}/api/me`);
    assert.equal(answer.status(), 401);
  });
});

test("a device is signed out by keyboard, and the focus stays in the list", async () => {
  const as = await world.user("ben@example.org");
  for (let n = 0; n < 2; n += 1)
    await signIn(world.browser, await world.ruri.linkFor("ben@example.org"));
  await world.visit({ as }, async (reader) => {
    const { page } = reader;
    await openSection(reader, "devices");
    const ends = page.locator(".card li button");
    await settles("the others", () => ends.count(), 2);
    await ends.first().focus();
    await reader.press("Enter");
    await reader.toast("That device is signed out.").waitFor();
    await settles("the others", () => ends.count(), 1);
    await page.getByRole("button", { name: "Sign out everywhere else" }).focus();
    await reader.press("Enter");
    await reader.toast("1 device is signed out.").waitFor();
    await settles("the others", () => ends.count(), 0);
    await hasFocus(reader);
  });
});

test("a token is shown once, opens what it may, and is removed when the page is left", async () => {
  const as = await world.user("cleo@example.org");
  await world.visit({ as }, async (reader) => {
    const { page } = reader;
    await openSection(reader, "tokens");
    await page.getByText("No program has a token.").waitFor();
    await page.locator("#token-name").fill("News ticker");
    await page.keyboard.press("Enter");
    const field = page.getByLabel("Token", { exact: true });
    const token = await field.inputValue();
    assert.match(token, /^ruri_/);
    await assertAccessible(page, "a new token");
    await page.screenshot({ path: join(screens, "settings-token.png") });
    const open = () =>
      fetch(`${world.ruri.base}/api/feeds`, { headers: { Authorization: `Bearer ${token}` } }).then(
        (answer) => answer.status,
      );
    if (home === "machine") assert.equal(await open(), 200);
    await page.getByRole("button", { name: "Done" }).click();
    await settles("whether it is shown", async () => (await page.content()).includes(token), false);

    const row = card(reader, "Tokens of programs").locator("li");
    await row.getByText("News ticker").waitFor();
    const remove = row.getByRole("button", { name: "Remove: News ticker" });
    await remove.click();
    await settles("the tokens", () => row.count(), 0);
    await settles("the focus", () => reader.focus(), "h2.");
    await page.keyboard.press("z");
    await settles("the tokens", () => row.count(), 1);
    if (home === "machine") assert.equal(await open(), 200);
    await remove.click();
    // The page that is left sends it; a list that is asked for in that moment could still hold it.
    await openSection(reader, "display");
    const tokens = async () =>
      (await reader.api.get<{ tokens: object[] }>("/api/tokens")).tokens.length;
    await settles("the server's tokens", tokens, 0);
    await openSection(reader, "tokens");
    await page.getByText("No program has a token.").waitFor();
    if (home === "machine") await settles("what it opens", open, 401);
  });
});

test("a passkey is registered, renamed and, after signing in again, removed", async () => {
  await world.ruri.addUser("dora@example.org", password);
  await world.visit({ as: null, base: named }, async (reader) => {
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
    await page.locator("#email").fill("dora@example.org");
    await page.locator("#password").fill(password);
    await page.keyboard.press("Enter");
    // By way of all items, which are none yet.
    await settles("the address", () => reader.path(), "/welcome");
    await openSection(reader, "account");
    await page.locator("#passkey-name").fill("Phone");
    await page.keyboard.press("Enter");
    await reader.toast("The passkey is registered.").waitFor();
    const rows = card(reader, "Passkeys").locator("li");
    await rows.getByText("Rename", { exact: true }).first().click();
    await rows.getByLabel("New name").fill("Old phone");
    await page.keyboard.press("Enter");
    await rows.locator(".name", { hasText: "Old phone" }).waitFor();
    await assertAccessible(page, "a passkey");
    await page.screenshot({ path: join(screens, "settings-passkey.png") });

    // An hour later.
    await page.route("**/api/sessions", async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      for (const one of body.sessions ?? []) one.createdAt = "2020-01-01T00:00:00Z";
      await route.fulfill({ json: body });
    });
    await rows.getByRole("button", { name: "Remove: Old phone" }).click();
    await reader
      .dialog()
      .getByText("For this you must have signed in within the last ten minutes.")
      .waitFor();
    await assertAccessible(page, "sign in again");
    await page.locator("#again").fill("wrong");
    await page.keyboard.press("Enter");
    await reader.dialog().getByRole("alert").waitFor();
    await page.locator("#again").fill(password);
    await page.keyboard.press("Enter");
    await settles("the passkeys", () => rows.count(), 0);
    await page.unrouteAll({ behavior: "wait" });
    await page.reload();
    await settles("the passkeys", () => rows.count(), 0);
    await openSection(reader, "devices");
    await settles("the devices", () => page.locator(".card li").count(), 1);
  });
});

test("a webhook is made, tested, switched off and deleted", async () => {
  const as = await world.user("emil@example.org");
  await world.visit({ as }, async (reader) => {
    const { page } = reader;
    await openSection(reader, "webhooks");
    await page.locator("#hook-url").fill(world.publisher.url("/status/503"));
    await page.keyboard.press("Enter");
    await page.getByLabel("Secret", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    const hook = page.locator(".hook");
    await hook.getByRole("button", { name: /^Test/ }).click();
    await hook.getByText("The address answered 405.").first().waitFor();
    await assertAccessible(page, "a webhook");
    await page.screenshot({ path: join(screens, "settings-webhook.png") });
    // Edited as a whole; what is refused stays in the form; `z` brings the old address back.
    await hook.getByRole("button", { name: /^Edit/ }).click();
    const address = reader.dialog().getByLabel("Address (URL)");
    await settles("the focus", () => address.evaluate((f) => f === document.activeElement), true);
    assert.equal(await address.inputValue(), world.publisher.url("/status/503"));
    await address.fill(world.publisher.url("/status/404"));
    await reader.dialog().getByLabel("Items that you star").check();
    await assertAccessible(page, "a webhook is edited");
    await page.screenshot({ path: join(screens, "settings-webhook-edit.png") });
    await page.keyboard.press("Enter");
    await reader.toast("The webhook is changed.").waitFor();
    await settles("the dialog", () => reader.dialog().count(), 0);
    const hooks = async () =>
      (
        await reader.api.get<{ webhooks: { url: string; events: string[] }[] }>("/api/webhooks")
      ).webhooks.map(({ url, events }) => [new URL(url).pathname, events.length]);
    await settles("the webhook", hooks, [["/status/404", 2]]);
    await page.keyboard.press("z");
    await settles("the webhook", hooks, [["/status/503", 1]]);
    const isOn = async () =>
      (await reader.api.get<{ webhooks: { isEnabled: boolean }[] }>("/api/webhooks")).webhooks.map(
        (one) => one.isEnabled,
      );
    await hook.getByRole("switch").click();
    await settles("the webhook", isOn, [false]);
    await page.keyboard.press("z");
    await settles("the webhook", isOn, [true]);
    await hook.getByRole("button", { name: /^Delete/ }).click();
    await page.getByText("There is no webhook yet.").waitFor();
    await page.reload();
    await settles("the webhooks", isOn, []);
  });
});

test("the owner opens the door and invites; others see nothing of it", async () => {
  await world.visit({ as: await world.owner() }, async (reader) => {
    const { page } = reader;
    await openSection(reader, "people");
    const signUp = async () => (await reader.api.get<{ signUp: string }>("/api/site")).signUp;
    const before = await signUp();
    await tick(page.getByRole("radiogroup", { name: "Who may sign up" }).getByLabel("Everybody"));
    await settles("signing up", signUp, "open");
    await page.keyboard.press("z");
    await settles("signing up", signUp, before);
    await page.locator("#note").fill("For Frida");
    await page.keyboard.press("Enter");
    const link = await page.getByLabel("Link of the invitation").inputValue();
    assert.match(link, /\/auth\/invite\//);
    await assertAccessible(page, "an invitation");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Withdraw: For Frida" }).click();
    await openSection(reader, "display");
    const open = async () =>
      (await reader.api.get<{ invitations: object[] }>("/api/invitations")).invitations.length;
    await settles("the server's invitations", open, 0);
    await openSection(reader, "people");
    await settles("the invitations", () => page.locator(".card li").count(), 0);
  });
  await world.visit({ as: await world.user("frida@example.org") }, async (reader) => {
    await openSection(reader, "display");
    const nav = reader.page.getByRole("navigation", { name: "Settings" });
    await nav.getByRole("link", { name: "Account" }).waitFor();
    assert.equal(await nav.getByRole("link", { name: "People" }).count(), 0);
    await reader.page.goto(`${world.ruri.base}/settings/people`);
    await reader.page.getByText("There are no such settings here.").waitFor();
  });
});

// G-42, G-60
test("all that is one's own goes out and comes in; the account goes after asking", async () => {
  const as = await world.user("gustav@example.org");
  await world.visit({ as }, async (reader) => {
    const { page } = reader;
    reader.watch.expectStatus(400, 401, 403, 422);
    await reader.api.addFeed(world.publisher.url("/feeds/plain.xml"));
    await openSection(reader, "data");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export everything" }).click(),
    ]);
    const archive = await download.path();
    const [stars] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export starred items" }).click(),
    ]);
    assert.equal(stars.suggestedFilename(), "ruri-starred.json");
    await page.getByRole("button", { name: "Import starred items" }).click();
    await reader.dialog().waitFor();
    await page.keyboard.press("Escape");
    await settles("the dialog", () => reader.dialog().count(), 0);
    const file = page.locator("input[type=file]");
    await file.setInputFiles({
      name: "ruri.zip",
      mimeType: "application/zip",
      buffer: await (await import("node:fs/promises")).readFile(archive),
    });
    await page.getByText("The archive is in.").waitFor();
    const broken = join(screens, "broken.zip");
    await writeFile(broken, "no archive");
    await file.setInputFiles(broken);
    await page.getByRole("alert").waitFor();
    await assertAccessible(page, "an archive that is none");

    await page.getByRole("button", { name: "Delete the account…" }).click();
    const confirm = reader.dialog().locator("#confirm");
    await settles("the focus", () => confirm.evaluate((f) => f === document.activeElement), true);
    await page.keyboard.press("Escape");
    await settles("the dialog", () => reader.dialog().count(), 0);
    await page.keyboard.press("Enter");
    await confirm.fill("somebody@example.org");
    await page.keyboard.press("Enter");
    await reader.dialog().getByRole("alert").waitFor();
    await assertAccessible(page, "deleting the account");
    await page.screenshot({ path: join(screens, "settings-delete.png") });
    await confirm.fill("gustav@example.org");
    await page.keyboard.press("Enter");
    await page.locator("#email").waitFor();
    assert.equal((await page.context().request.get(`${world.ruri.base}/api/me`)).status(), 401);
  });
});
