import type { operations } from "../api.gen";
import { ApiError } from "../api-error";
import { outward } from "../base";
import { problemOf } from "../client";
import { pause } from "../pause";
import type { Imported } from "../types";

type Answers = operations["importMe"]["responses"];
export type ImportedArchive = Answers[200]["content"]["application/json"];

/** The size of all parts of an archive but the last; smaller archives are sent whole. */
const partSize = 4 * 2 ** 20;

/**
 * Uploads an archive. A short one is done with the answer; a long one is worked on afterwards. `onSent` is told the
 * share that was sent.
 */
export async function importArchive(
  file: File,
  onSent: (share: number) => void = () => undefined,
): Promise<ImportedArchive | Imported> {
  const path = "/api/users/me/import";
  if (file.size <= partSize) return (await send("POST", path, file)).json();
  let report: Imported = await (await send("POST", `${path}?size=${file.size}`)).json();
  for (let n = 0; n * partSize < file.size; n += 1) {
    onSent((n * partSize) / file.size);
    const part = file.slice(n * partSize, (n + 1) * partSize);
    report = await (await send("PUT", `/api/imports/${report.id}/parts/${n}`, part)).json();
  }
  return report;
}

/** All of an account as one file. The server sends it in parts. */
export async function exportArchive(): Promise<Blob> {
  const parts: Blob[] = [];
  for (let next: string | null = "first"; next; ) {
    const part = await send("GET", `/api/users/me/export?part=${encodeURIComponent(next)}`);
    parts.push(await part.blob());
    next = part.headers.get("X-Next-Part");
  }
  return new Blob(parts, { type: "application/zip" });
}

/** Sends bytes; the client sends only JSON and forms. Waits where the server asks for it: a part may be sent again. */
async function send(method: string, url: string, body?: Blob): Promise<Response> {
  for (let delays = 0; ; delays += 1) {
    let response: Response;
    try {
      response = await fetch(outward(url), {
        method,
        ...(body ? { body } : {}),
        headers: {
          "Accept-Language": document.documentElement.lang,
          ...(body ? { "Content-Type": "application/zip" } : {}),
        },
      });
    } catch (cause) {
      throw new ApiError(0, { code: "unreachable", message: String(cause) });
    }
    if (response.ok) return response;
    const error = problemOf(response, await response.text());
    if (error.status !== 429 || delays >= 20) throw error;
    await pause((error.retryAfter ?? 5) * 1_000);
  }
}
