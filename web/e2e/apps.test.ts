// The settings page for other reader apps: what it says to enter in each app is entered, and lets the app in.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type App, startApp } from "./harness/app.ts";
import { assertAccessible } from "./harness/axe.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import { keepScreenshot } from "./harness/screenshot.ts";

let app: App;

before(async () => {
  app = await startApp();
});
after(() => app?.close());

/** Apps that add the path of FreshRSS to the address. */
const addPath = ["RSS Guard", "Readrops"];

/** The value that the steps name so. */
const value = async (page: Page, label: string) =>
  (await page.locator(".steps .value").filter({ hasText: label }).locator("code").textContent()) ??
  "";

test("what the page says to enter lets each app in, until its password is removed", async () => {
  const email = await app.addUser("apps");
  const as = await app.signIn(email);
  await app.visit({ as }, async (reader) => {
    const { page } = reader;
    const { request } = page.context();
    await page.goto(`${reader.base}/settings/apps`);
    await page.getByText("No app passwords yet").waitFor();

    await page.getByLabel("App", { exact: true }).selectOption("NetNewsWire");
    await page.getByText("QR code for a phone").click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    await page.getByRole("button", { name: "Create app password" }).click();
    const password = await page.getByLabel("App password", { exact: true }).inputValue();
    assert.match(password, /^ruri(-[a-z0-9]{5}){4}$/);
    await page.getByText("Waiting for the app to sign in…").waitFor();
    await assertAccessible(page, "the steps with a new password");
    await keepScreenshot(page, "screens/settings-app-password.png");

    const headers = { "User-Agent": "NetNewsWire/6.1" };
    const signsIn = async (base: string) => {
      const login = await request.post(`${base}/accounts/ClientLogin`, {
        form: { Email: email, Passwd: password },
        headers,
      });
      const auth = /^Auth=(.+)$/m.exec(await login.text())?.[1];
      const answer = await request.get(`${base}/reader/api/0/tag/list?output=json`, {
        headers: { ...headers, Authorization: `GoogleLogin auth=${auth}` },
      });
      return answer.status();
    };
    assert.equal(await signsIn(await value(page, "Server address")), 200);
    await page.getByText("Connected: NetNewsWire has signed in.").waitFor();
    await page.locator(".card li").getByText("last sync: now (NetNewsWire)").waitFor();

    await page.getByRole("button", { name: "Done" }).click();
    await eventuallyEquals(
      "whether the password is shown",
      async () => (await page.content()).includes(password),
      false,
    );

    // The other apps take any app password of the account.
    const select = page.getByLabel("App", { exact: true });
    const names = await select.locator("optgroup option").allInnerTexts();
    assert.ok(names.length > 10, `${names.length} apps`);
    const feverKey = createHash("md5").update(`${email}:${password}`).digest("hex");
    for (const name of names) {
      await select.selectOption(name);
      if (name === "newsboat") {
        const lines = (await page.locator(".steps pre").textContent()) ?? "";
        const address = /^freshrss-url "(.+)"$/m.exec(lines)?.[1] ?? "";
        assert.equal(await signsIn(address), 200, name);
        assert.match(lines, new RegExp(`^freshrss-login "${email}"$`, "m"));
        continue;
      }
      if (name === "miniflux.py") {
        const lines = (await page.locator(".steps pre").textContent()) ?? "";
        const address = /Client\("([^"]+)"/.exec(lines)?.[1];
        const me = await request.get(`${address}/v1/me`, {
          headers: { "X-Auth-Token": password },
        });
        assert.equal(me.status(), 200, name);
        continue;
      }
      assert.equal(await value(page, "User name"), email);
      const address = await value(page, "Server address");
      const service = await page.locator(".steps strong").textContent();
      if (service === "Fever") {
        const answer = await request.post(`${address}?api`, { form: { api_key: feverKey } });
        assert.equal((await answer.json()).auth, 1, name);
      } else {
        const path = addPath.includes(name) ? "/api/greader.php" : "";
        assert.equal(await signsIn(address + path), 200, name);
      }
    }

    reader.watch.expectStatus(401); // two of its checks want to be refused
    const [check] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "Check the connection" }).click(),
    ]);
    await check.getByText("Everything works.").waitFor();
    await check.close();

    await page.getByRole("button", { name: "Remove: NetNewsWire" }).click();
    await page.getByText("No app passwords yet").waitFor();
    await page.goto(`${reader.base}/settings/display`); // removed when the page is left
    await eventuallyEquals("the status", () => signsIn(reader.base), 401);
  });
});
