// Passkeys in a real browser, with Chromium's virtual authenticator (WebDriver extension of WebAuthn, 11), and signing
// up by an invitation. The server is visited as http://localhost: a passkey belongs to a name, not to digits.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CDPSession, Page } from "playwright-core";
import { type App, password, startApp } from "./harness/app.ts";
import { message, serverText } from "./harness/catalog.ts";
import { eventuallyEquals } from "./harness/eventually.ts";
import { isRehearsal } from "./harness/paths.ts";
import type { Reader } from "./harness/reader.ts";

let app: App;
let base: string;

before(async () => {
  app = await startApp({ isOwn: true });
  base = !isRehearsal ? app.backend.base.replace("127.0.0.1", "localhost") : app.backend.base;
});
after(() => app?.close());

interface Authenticator {
  cdp: CDPSession;
  id: string;
}

/** A phone's authenticator that always says yes, unless told otherwise. */
async function authenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

/** Registers a passkey as the account's page will, from the page's own origin. */
function register(page: Page, name: string): Promise<{ status: number; code: string }> {
  return page.evaluate(async (called) => {
    const json = (body: unknown) => ({
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const asked = await fetch("/api/passkeys/options", { method: "POST" });
    if (!asked.ok) return { status: asked.status, code: (await asked.json()).code };
    const { publicKey } = await asked.json();
    const credential = (await navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey),
    })) as PublicKeyCredential;
    const made = await fetch(
      "/api/passkeys",
      json({ name: called, credential: credential.toJSON() }),
    );
    return { status: made.status, code: (await made.json()).code ?? "" };
  }, name);
}

async function enter(reader: Reader, email: string): Promise<void> {
  await reader.page.goto(`${base}/login`);
  await reader.page.locator("#email").fill(email);
  await reader.page.locator("#password").fill(password);
  await reader.page.locator("button[type=submit]").click();
  // By way of all items, which are none yet.
  await eventuallyEquals("the address", () => reader.path(), "/welcome");
}

async function signOut(reader: Reader): Promise<void> {
  await reader.page.evaluate(() => fetch("/api/auth/logout", { method: "POST" }));
  assert.equal((await reader.page.context().request.get(`${base}/api/me`)).status(), 401);
}

for (const locale of ["en", "ja"] as const) {
  test(`a passkey is registered, and signs in without a name (${locale})`, async () => {
    const email = await app.addUser(`passkey-${locale}`);
    await app.visit({ as: null, locale, base }, async (reader) => {
      const { page } = reader;
      reader.watch.expectStatus(401, 409);
      const { cdp, id } = await authenticator(page);
      await enter(reader, email);
      assert.deepEqual(await register(page, "Virtual"), { status: 201, code: "" });
      const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId: id });
      assert.equal(credentials.length, 1);
      assert.equal(credentials[0]?.rpId, new URL(base).hostname);
      assert.equal(credentials[0]?.isResidentCredential, true);

      await signOut(reader);
      await page.goto(`${base}/login?next=${encodeURIComponent("/starred")}`);
      const button = page.getByRole("button", { name: message(locale, "Sign in with a passkey") });
      await button.click();
      await eventuallyEquals("the address", () => reader.path(), "/starred");
      const me = await (await page.context().request.get(`${base}/api/me`)).json();
      assert.equal(me.user.email, email);

      // Who is not verified by the device is not let in, and hears of it.
      await signOut(reader);
      await page.goto(`${base}/login`);
      await cdp.send("WebAuthn.setUserVerified", { authenticatorId: id, isUserVerified: false });
      await button.click();
      await page.getByRole("alert").getByText(message(locale, "No passkey was used.")).waitFor();

      // A copy of the key whose counter is behind.
      await cdp.send("WebAuthn.setUserVerified", { authenticatorId: id, isUserVerified: true });
      const copy = credentials[0];
      assert.ok(copy);
      const { credentials: now } = await cdp.send("WebAuthn.getCredentials", {
        authenticatorId: id,
      });
      assert.ok((now[0]?.signCount ?? 0) > copy.signCount, "the authenticator counts");
      await cdp.send("WebAuthn.removeCredential", {
        authenticatorId: id,
        credentialId: copy.credentialId,
      });
      await cdp.send("WebAuthn.addCredential", { authenticatorId: id, credential: copy });
      await button.click();
      await page
        .getByRole("alert")
        .getByText(serverText(locale, "passkey_refused").message)
        .waitFor();
      assert.equal(reader.path(), "/login");
    });
  });
}

test("a passkey of another challenge or another site's signs nobody in", async () => {
  const email = await app.addUser("careful");
  await app.visit({ as: null, base }, async (reader) => {
    const { page } = reader;
    reader.watch.expectStatus(400, 401);
    await authenticator(page);
    await enter(reader, email);
    assert.equal((await register(page, "Virtual")).status, 201);
    await signOut(reader);
    const attempt = (what: "challenge" | "origin" | "truth") =>
      page.evaluate(async (lie) => {
        const asked = await fetch("/api/auth/passkey/options", { method: "POST" });
        const { publicKey } = await asked.json();
        if (lie === "challenge") publicKey.challenge = "A".repeat(43);
        const credential = (await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey),
        })) as PublicKeyCredential;
        const answer = credential.toJSON() as { response: { clientDataJSON: string } };
        if (lie === "origin") {
          const said = atob(
            answer.response.clientDataJSON.replaceAll("-", "+").replaceAll("_", "/"),
          );
          const other = said.replace(location.origin, "https://evil.example");
          answer.response.clientDataJSON = btoa(other)
            .replaceAll("+", "-")
            .replaceAll("/", "_")
            .replace(/=+$/, "");
        }
        const done = await fetch("/api/auth/passkey/verify", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ credential: answer }),
        });
        return `${done.status} ${(await done.json()).code ?? ""}`;
      }, what);
    assert.equal(await attempt("challenge"), "401 passkey_refused");
    assert.equal(await attempt("origin"), "401 passkey_refused");
    assert.equal((await page.context().request.get(`${base}/api/me`)).status(), 401);
    assert.equal(await attempt("truth"), "200 ");
    // The browser itself refuses to ask for another name's passkeys.
    const refusal = await page.evaluate(async () => {
      const asked = await fetch("/api/auth/passkey/options", { method: "POST" });
      const { publicKey } = await asked.json();
      publicKey.rpId = "evil.example";
      return navigator.credentials
        .get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) })
        .then(() => "answered")
        .catch((error: Error) => error.name);
    });
    assert.equal(refusal, "SecurityError");
  });
});

test("an invitation leads to the form, and lets one person in", async () => {
  const owner = await app.owner();
  let link = "";
  await app.visit({ as: owner }, async (reader) => {
    await reader.page.goto(`${app.backend.base}/all`);
    link = await reader.page.evaluate(async () => {
      const made = await fetch("/api/invitations", { method: "POST" });
      return (await made.json()).invitation.url;
    });
  });
  await app.visit({ as: null, locale: "ja" }, async (reader) => {
    reader.watch.expectStatus(401);
    const { page } = reader;
    await page.goto(link);
    await eventuallyEquals("the address", () => reader.path(), "/signup");
    await page.locator("#email").fill("invited@example.org");
    await page.locator("#password").fill(password);
    await page.getByRole("button", { name: message("ja", "Sign up") }).click();
    await eventuallyEquals("the address", () => reader.path(), "/welcome");
  });
  await app.visit({ as: null }, async (reader) => {
    reader.watch.expectStatus(401);
    await reader.page.goto(link);
    await reader.page
      .getByRole("alert")
      .getByText(serverText("en", "invitation_not_valid").message)
      .waitFor();
  });
});
