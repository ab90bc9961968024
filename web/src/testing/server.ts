import { vi } from "vitest";

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> } | Error;
type Handler = Answer | ((request: { body: unknown; url: URL }) => Answer | Promise<Answer>);

export interface Call {
  route: string;
  search: string;
  body: unknown;
  priority: RequestPriority | undefined;
}

/** Stands for the server: routes are "METHOD /path"; what no route knows answers 404. */
export function mockServer(routes: Record<string, Handler>): { calls: Call[] } {
  const calls: Call[] = [];
  vi.stubGlobal("fetch", async (input: string, init: RequestInit = {}) => {
    const url = new URL(input, "http://ruri.test");
    const route = `${init.method ?? "GET"} ${url.pathname}`;
    const body = typeof init.body === "string" ? JSON.parse(init.body) : init.body;
    calls.push({ route, search: url.search, body, priority: init.priority });
    const handler = routes[route];
    const answer = typeof handler === "function" ? await handler({ body, url }) : handler;
    if (answer instanceof Error) throw answer;
    const {
      status = 200,
      body: json,
      headers = {},
    } = answer ?? problem(404, "not_found", "validation");
    return new Response(json === undefined ? null : JSON.stringify(json), { status, headers });
  });
  return { calls };
}

export function problem(
  status: number,
  code: string,
  category: string,
  more: Record<string, unknown> = {},
): { status: number; body: unknown; headers?: Record<string, string> } {
  return { status, body: { code, category, message: `message of ${code}`, action: "", ...more } };
}
