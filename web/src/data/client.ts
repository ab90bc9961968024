import type { paths } from "./api.gen";
import { ApiError } from "./api-error";
import { outward } from "./base";
import { noteDelayed, noteReached } from "./connection";
import { takeEarlyResponse } from "./early-requests";
import { pause } from "./pause";
import type { Problem } from "./types";

type Method = "get" | "put" | "post" | "patch" | "delete";
/** The paths that have a method. */
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never;
}[keyof paths];
type Operation<M extends Method, P extends keyof paths> = paths[P][M];
type Params<O> = O extends { parameters: infer A } ? A : never;
type InputOf<O> = {
  path?: Params<O> extends { path: infer A } ? A : never;
  query?: Params<O> extends { query?: infer A } ? A : never;
  /** Sent as JSON, or as multipart/form-data. */
  body?:
    | (O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never)
    | (O extends { requestBody?: { content: { "multipart/form-data": unknown } } }
        ? FormData
        : never);
  signal?: AbortSignal;
  /** The request outlives the page. */
  keepalive?: boolean;
  /** Bypasses the caches of browser and server. */
  anew?: boolean;
  /** Throws a 429 to a GET instead of waiting and sending it again. */
  impatient?: boolean;
  /** Nobody waits for the answer: sent with low priority, and never again after a 429. */
  background?: boolean;
};
type Json<R> = R extends { content: { "application/json": infer B } } ? B : undefined;
type AnswerOf<O> = O extends { responses: infer R }
  ? Json<R[keyof R & (200 | 201 | 202 | 204)]> extends infer A
    ? A
    : never
  : never;

let signedOutListener: (() => void) | null = null;

/** Sets who is notified of every 401: the app leads to the login page and back. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListener = listener;
  return () => {
    signedOutListener = null;
  };
}

/** Answers to GET wait here until the offline copy (data/offline), which is loaded later, takes them. */
const early: [url: string, answer: unknown][] = [];
let keep = (url: string, answer: unknown): void => {
  early.push([url, answer]);
};

export function keepAnswers(keeper: typeof keep): void {
  keep = keeper;
  for (const one of early.splice(0)) keeper(...one);
}

/** Gives the offline copy the answer of a GET. */
export function rememberAnswer(url: string, answer: unknown): void {
  keep(url, answer);
}

/** The answer as stored on this device; undefined when there is none. */
async function fromDevice(url: string): Promise<unknown> {
  try {
    return await (await import("./offline/answers")).keptAnswer(url);
  } catch {
    return undefined; // that part of the page is not here either
  }
}

/** Requests that somebody waits for. */
let waitedFor = 0;

export function isWaitedFor(): boolean {
  return waitedFor > 0;
}

/** How often a GET is sent again after a 429. */
const maxDelays = 20;

/**
 * Sends one request, typed by docs/openapi.yaml: path, parameters, body and answer. Throws every failure as ApiError.
 * Conditional requests are the browser's work: the server sends ETag and `no-cache`. After a 429 a GET is sent again when
 * the server allows it.
 */
async function request<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: InputOf<Operation<M, P>> = {},
): Promise<AnswerOf<Operation<M, P>>> {
  if (input.background) return requestOnce(method, path, input);
  waitedFor += 1;
  try {
    return await requestPatiently(method, path, input);
  } finally {
    waitedFor -= 1;
  }
}

async function requestPatiently<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: InputOf<Operation<M, P>>,
): Promise<AnswerOf<Operation<M, P>>> {
  for (let delays = 0; ; delays += 1) {
    try {
      return await requestOnce(method, path, input);
    } catch (cause) {
      const isPatient = method === "get" && !input.impatient && delays < maxDelays;
      if (!isPatient || !(cause instanceof ApiError) || cause.status !== 429) throw cause;
      const done = noteDelayed();
      const seconds = cause.retryAfter ?? Math.min(2 ** delays, 60);
      await pause(seconds * 1_000, input.signal).finally(done);
    }
  }
}

async function requestOnce<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: InputOf<Operation<M, P>> = {},
): Promise<AnswerOf<Operation<M, P>>> {
  const { body, signal, keepalive = false, anew, background } = input;
  const isForm = body instanceof FormData;
  const url = urlOf(path, input as { path?: unknown; query?: unknown });
  let response: Response;
  try {
    const early = method === "get" && !anew ? takeEarlyResponse(url) : undefined;
    response = await (early ??
      fetch(outward(url), {
        method: method.toUpperCase(),
        keepalive,
        ...(background ? { priority: "low" } : {}),
        ...(signal ? { signal } : {}),
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        headers: {
          // The language of the page, not of the browser: the messages of errors come in it.
          "Accept-Language": document.documentElement.lang,
          ...(body === undefined || isForm ? {} : { "Content-Type": "application/json" }),
          ...(anew ? { "Cache-Control": "no-cache" } : {}),
        },
      }));
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    noteReached(false);
    const kept = method === "get" ? await fromDevice(url) : undefined;
    if (kept !== undefined) return kept as AnswerOf<Operation<M, P>>;
    const code = method === "get" && !navigator.onLine ? "not_saved" : "unreachable";
    throw new ApiError(0, { code, message: String(cause) });
  }
  const text = await response.text();
  noteReached(true);
  if (response.ok) {
    const answer = text === "" ? undefined : JSON.parse(text);
    if (method === "get") keep(url, answer);
    return answer as AnswerOf<Operation<M, P>>;
  }
  throw problemOf(response, text);
}

function urlOf(template: string, { path, query }: { path?: unknown; query?: unknown }): string {
  const values = (path ?? {}) as Record<string, unknown>;
  const url = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name])),
  );
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) params.set(name, String(value));
  }
  const search = params.toString();
  return search === "" ? url : `${url}?${search}`;
}

/** The error of a response. Notifies of a 401. */
export function problemOf(response: Response, text: string): ApiError {
  let problem: Partial<Problem> = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // from a proxy, not from our server
  }
  const wait = Number(response.headers.get("Retry-After"));
  const error = new ApiError(
    response.status,
    problem,
    response.headers.get("X-Request-Id"),
    wait > 0 ? wait : null,
  );
  // A wrong password is a 401 too, and no reason to leave the login page.
  if (error.status === 401 && error.code !== "wrong_login") signedOutListener?.();
  return error;
}

const bound =
  <M extends Method>(method: M) =>
  <P extends PathOf<M>>(path: P, input?: InputOf<Operation<M, P>>) =>
    request(method, path, input);

export const api = {
  get: bound("get"),
  put: bound("put"),
  post: bound("post"),
  patch: bound("patch"),
  delete: bound("delete"),
};
