// Every live attack of the corpus, as body, title, author, summary and tag of an item, through the real
// crawler, parser and sanitiser into the real page under its content policy: no script runs, and the
// page asks nobody for anything but pictures and sounds. Several attacks are shown as one item.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type App, startApp } from "../harness/app.ts";
import { eventuallyEquals } from "../harness/eventually.ts";
import { corpus, hasSanitiserCorpus } from "../harness/paths.ts";

let app: App | undefined;
after(() => app?.close());

async function theApp(): Promise<App> {
  app ??= await startApp({
    isOwn: true,
    publisher: hasSanitiserCorpus() ? ["--corpus", corpus] : [],
  });
  return app;
}

/** Kinds of request that mark-up may make by itself; all others are a script's or a frame's doing. */
const passive = new Set(["image", "media"]);

/** Runs before the page: whatever a payload would call leaves a mark. */
function layTraps(): void {
  const marks: string[] = [];
  (window as unknown as { marks: string[] }).marks = marks;
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) {
    Object.defineProperty(window, name, {
      value: (...args: unknown[]) => {
        marks.push(`${name}(${args.join(", ").slice(0, 80)})`);
      },
    });
  }
  document.write = (...text: string[]) => void marks.push(`write(${text.join("").slice(0, 80)})`);
  document.addEventListener("securitypolicyviolation", (event) => {
    marks.push(`policy ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
  });
}

/**
 * Goes from item to item as a link does, and looks at what became of each body: what runs by itself has
 * run by then, and what waits for a hand gets one.
 */
async function showEach([feedId, ids, patience, places]: readonly [
  feedId: string,
  ids: readonly string[],
  /** Milliseconds; the browser tells of a broken policy some time after. */
  patience: number,
  /** In how many places the bodies stand, all together; null where a body is an item's alone. */
  places: number | null,
]): Promise<[string, string[]][]> {
  const { marks } = window as unknown as { marks: string[] };
  const hands =
    "click dblclick mouseover mouseenter mousemove focus focusin blur pointerdown pointerover toggle animationend transitionend input change wheel scroll copy cut paste drag drop load error begin end repeat".split(
      " ",
    );
  const harmless = /^(https?|mailto|tel|ftp|xmpp|ircs?|magnet|feed|webcal|geo|sms|news|nntp):$/;
  const banned =
    "script,style,iframe,frame,frameset,object,embed,applet,base,meta,link,form,input,button,textarea,select,option,template,svg,noscript,annotation-xml,annotation,maction,mglyph,malignmark,semantics,title,dialog,slot,portal,marquee,xmp,plaintext,isindex,keygen,bgsound,layer";

  const dangerous = (name: string, value: string) => {
    if (name.startsWith("on")) return true;
    if (name === "id") return !value.startsWith("ruri-");
    if (/^(style|srcdoc|formaction|ping|is|slot|name|http-equiv|autofocus)$/.test(name))
      return true;
    if (!/^(href|src|cite|poster|longdesc|action|data|background|xlink:href)$/.test(name))
      return false;
    if (/^data:image\/(png|gif|jpeg|webp|avif)[;,]/i.test(value)) return false;
    return (
      !URL.canParse(value, location.href) || !harmless.test(new URL(value, location.href).protocol)
    );
  };
  const faultsOf = (root: Element): string[] => {
    const found = [...root.querySelectorAll(banned)].map((element) => `<${element.localName}>`);
    for (const element of root.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        if (dangerous(name, value)) found.push(`<${element.localName} ${name}=${value}>`);
      }
    }
    return found;
  };

  let last = document.querySelector(".article-pane");
  const shown = (id: string) =>
    new Promise<Element>((resolve, reject) => {
      const end = performance.now() + 120_000;
      const look = () => {
        const pane = document.querySelector(".article-pane");
        const body = pane === last ? null : pane?.querySelector(".prose");
        if (body) {
          last = pane;
          resolve(body);
        } else if (performance.now() > end) {
          reject(new Error(`item ${id} was not shown`));
        } else {
          setTimeout(look);
        }
      };
      look();
    });

  const faults: [string, string[]][] = [];
  let seen = 0;
  for (const id of ids) {
    marks.length = 0;
    history.pushState(null, "", `/feed/${feedId}/i/${id}`);
    const body = await shown(id);
    for (const element of [body, ...body.querySelectorAll("*")]) {
      for (const name of hands) element.dispatchEvent(new Event(name, { cancelable: true }));
    }
    await new Promise((resolve) => setTimeout(resolve, patience));
    const found = [...faultsOf(body), ...marks];
    seen += body.childNodes.length;
    if (places !== null && id === ids.at(-1) && seen !== places)
      found.push(`${seen} places instead of ${places}: a body left its own`);
    if (found.length > 0) faults.push([id, found]);
  }
  return faults;
}

/**
 * Reads mark-up as a page without a policy does, writes it and reads it again: what changes then could hide something from the
 * sanitiser. MathML is a known way around one, so a formula must have nothing but MathML in it.
 */
function readTwice(bodies: readonly string[]): string[] {
  const found: string[] = [];
  for (const body of bodies) {
    const once = document.createElement("div");
    once.innerHTML = body;
    const twice = document.createElement("div");
    twice.innerHTML = once.innerHTML;
    const stray = [...once.querySelectorAll("math, math *")].find(
      (element) => element.namespaceURI !== "http://www.w3.org/1998/Math/MathML",
    );
    if (stray || !once.isEqualNode(twice)) found.push(body.slice(0, 400));
  }
  return found;
}

type Session = Awaited<ReturnType<App["user"]>>;

interface Answer {
  id: string;
  link: string;
  title: string;
  author: string;
  snippet: string;
  categories: string[];
  contentState: string;
  contentHtml: string;
}

/** Items as the page gets them; asked for beside it, where thousands take a few seconds. */
async function fetchItems(
  base: string,
  { cookies }: Session,
  ids: readonly string[],
): Promise<Answer[]> {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const items: Answer[] = [];
  const left = [...ids];
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const response = await fetch(`${base}/api/items/${id}`, { headers: { cookie } });
      const { item } = (await response.json()) as { item: Answer };
      // Where the sanitiser leaves nothing of the body, the summary stands in.
      if (!/^(full|summary)$/.test(item.contentState))
        throw new Error(`item ${id} is ${item.contentState}`);
      items.push(item);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return items;
}

/** Attacks side by side: their bodies each in a place of its own, which none must leave, and all that is text in one. */
function asOne(lead: Answer, bodies: readonly string[], texts: readonly Answer[]): Answer {
  return {
    ...lead,
    title: texts.map((item) => item.title).join(" "),
    author: texts.map((item) => item.author).join(" "),
    snippet: texts.map((item) => item.snippet).join(" "),
    categories: texts.flatMap((item) => item.categories),
    contentHtml: bodies.map((body) => `<div>${body}</div>`).join(""),
  };
}

/** How many bodies are shown at a time. */
const together = 16;

test("what a sanitiser would let through is seen here, and stopped by the content policy", async () => {
  const here = await theApp();
  const as = await here.user("leaky");
  await here.visit({ as }, async (reader) => {
    reader.watch.expect(/content policy: script-src|Content Security Policy/);
    const { id } = await reader.api.addFeed(here.publisher.url("/feeds/plain.xml"));
    const [first, second] = await reader.api.items(id);
    assert.ok(first && second);
    await reader.page.context().addInitScript(layTraps);
    await reader.page.context().route(/\/api\/items\/(bodies|\d+)/, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const item = [answer.item, ...(answer.items ?? [])].find((one) => one?.id === second.id);
      if (item)
        item.contentHtml =
          '<img src="/nothing.png" onerror="alert(1)"><p onclick="alert(2)" onerror="alert(5)">x</p><iframe srcdoc="<script>alert(3)</script>"></iframe><a href="javascript:alert(4)">y</a>';
      await route.fulfill({ response, json: answer });
    });
    reader.watch.expectStatus(404);
    await reader.open(`/feed/${id}`);
    const faults = await reader.page.evaluate(showEach, [
      id,
      [first.id, second.id],
      1000,
      null,
    ] as const);
    assert.equal(faults.length, 1);
    const [shown, found] = faults[0] ?? ["", []];
    assert.equal(shown, second.id);
    const told = found.join("\n");
    for (const sign of [
      "<iframe",
      "onerror=",
      "onclick=",
      "href=javascript:",
      "policy script-src-attr",
    ]) {
      assert.ok(told.includes(sign), `${sign} in ${told}`);
    }
    assert.doesNotMatch(told, /^(alert|write|open)\(/m, "and yet nothing ran");
  });
});

test("no attack of the corpus runs in the page", { timeout: 1_800_000 }, async (t) => {
  if (!hasSanitiserCorpus()) {
    console.log("SKIPPED: attacks in the browser: corpus not present");
    t.skip("corpus not present: skipped");
    return;
  }
  const here = await theApp();
  const as = await here.user("attacked");
  await here.visit({ as }, async (reader) => {
    const index: { payloads: number; feeds: string[] } = await (
      await fetch(here.publisher.url("/corpus/"))
    ).json();
    await reader.api.importOpml(index.feeds.map((path) => here.publisher.url(path)));
    const stored = async () => {
      const { feeds } = await reader.api.feeds();
      return feeds.reduce((sum, feed) => sum + feed.itemCount, 0);
    };
    await eventuallyEquals("items in the store", stored, index.payloads);

    const context = reader.page.context();
    const escaped: string[] = [];
    await context.addInitScript(layTraps);
    await context.route(
      (url) => url.origin !== here.backend.base && /^https?:$/.test(url.protocol),
      async (route) => {
        const request = route.request();
        if (!passive.has(request.resourceType())) {
          escaped.push(`${request.resourceType()} ${request.url()} from ${reader.path()}`);
        }
        await route.fulfill({
          contentType: "image/svg+xml",
          body: "<svg xmlns='http://www.w3.org/2000/svg'/>",
        });
      },
    );
    context.on("page", (page) => escaped.push(`a window ${page.url()} from ${reader.path()}`));
    reader.page.on("frameattached", (frame) => escaped.push(`a frame ${frame.url()}`));

    // Thousands of attacks become the same few hundred bodies; each of these is shown once, and so is every text.
    const { feeds } = await reader.api.feeds();
    const all: Answer[] = [];
    for (const feed of feeds) {
      const ids = (await reader.api.items(feed.id)).map((item) => item.id);
      all.push(...(await fetchItems(here.backend.base, as, ids)));
    }
    const links = new Map(all.map((item) => [item.contentHtml, item.link]));
    const bodies = [...links.keys()];
    const blank = await context.browser()?.newPage();
    assert.ok(blank);
    assert.deepEqual(
      await blank.evaluate(readTwice, bodies),
      [],
      "read differently the second time",
    );
    await blank.close();
    const first = feeds[0];
    assert.ok(first);
    const places = (await reader.api.items(first.id)).map((item) => item.id);
    const shown = new Map<string, { bodies: string[]; answer: Answer }>();
    const count = Math.ceil(bodies.length / together);
    const texts = Math.ceil(all.length / count);
    for (let i = 0; i < count; i += 1) {
      const lead = all.find((item) => item.id === places[i]);
      assert.ok(lead, "as many items in a feed as there are to show");
      const part = bodies.slice(i * together, (i + 1) * together);
      const answer = asOne(lead, part, all.slice(i * texts, (i + 1) * texts));
      shown.set(lead.id, { bodies: part, answer });
    }
    let asked = 0;
    await reader.loadsNothingAhead();
    await context.route("**/api/items/*", async (route) => {
      const place = shown.get(new URL(route.request().url()).pathname.split("/").at(-1) ?? "");
      if (!place) return route.fallback();
      asked += 1;
      return route.fulfill({ json: { item: place.answer } });
    });
    await reader.api.send("POST", `/api/feeds/${first.id}/mark-read`, {});
    await reader.open(`/feed/${first.id}`);
    const told: string[] = [];
    const ids = [...shown.keys()];
    for (const [id, found] of await reader.page.evaluate(showEach, [
      first.id,
      ids,
      0,
      bodies.length,
    ] as const)) {
      const from = shown.get(id)?.bodies.map((body) => links.get(body)) ?? [];
      told.push(`${found.join(" | ")} in one of ${from.join(", ")}`);
    }
    console.log(
      `${all.length} attacks became ${bodies.length} bodies, ${told.length} times something was left`,
    );
    assert.equal(asked, shown.size);
    assert.equal(all.length, index.payloads);
    assert.deepEqual(told, []);
    assert.deepEqual(escaped, []);
  });
});
