import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A server before the reader's, as a release that is copied into place: it can bring another version of the page. */
interface ReleaseProxy {
  base: string;
  /** From now on the page is another one, and its worker knows. The page says so in `<html data-release>`. */
  release(name: string): void;
  close(): Promise<void>;
}

const hopByHop = ["connection", "keep-alive", "transfer-encoding", "content-length", "host"];

export async function startReleaseProxy(behind: string): Promise<ReleaseProxy> {
  let released: string | null = null;
  const original = async (path: string) => (await fetch(behind + path)).text();
  const page = async () =>
    (await original("/index.html")).replace("<html", `<html data-release="${released}"`);
  const sum = (text: string) => createHash("sha256").update(text).digest("hex");

  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await fetch(behind + request.url, {
        method: request.method ?? "GET",
        headers: forwarded(request.headers, new URL(behind).origin),
        redirect: "manual",
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      });
      let body: string | Buffer = Buffer.from(await answer.arrayBuffer());
      if (released !== null && request.url === "/index.html") body = await page();
      if (released !== null && request.url === "/worker.js") {
        const [before, now] = [sum(await original("/index.html")), sum(await page())];
        body = body
          .toString()
          .replace(before, now)
          .replace(/id:(["'`])\w+\1/, `id:"${released}"`);
      }
      const headers: Record<string, string | string[]> = {};
      for (const [name, value] of answer.headers) {
        if (!["content-encoding", "etag", ...hopByHop].includes(name)) headers[name] = value;
      }
      const cookies = answer.headers.getSetCookie();
      if (cookies.length > 0) headers["set-cookie"] = cookies;
      response.writeHead(answer.status, headers).end(body);
    } catch {
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release(name) {
      released = name;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The reader behind sees itself asked, not the server before it. */
function forwarded(headers: IncomingHttpHeaders, origin: string): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" || hopByHop.includes(name) || name === "if-none-match") continue;
    kept[name] = name === "origin" ? origin : value;
  }
  kept["accept-encoding"] = "identity";
  return kept;
}
