import type { operations } from "../api.gen";
import { ApiError } from "../api-error";
import { problemOf } from "../client";

export type ImportedArchive =
  operations["importMe"]["responses"][200]["content"]["application/json"];

/** Uploads an archive; the client sends only JSON and forms. */
export async function importArchive(file: File): Promise<ImportedArchive> {
  let response: Response;
  try {
    response = await fetch("/api/users/me/import", {
      method: "POST",
      body: file,
      headers: {
        "Accept-Language": document.documentElement.lang,
        "Content-Type": "application/zip",
      },
    });
  } catch (cause) {
    throw new ApiError(0, { code: "unreachable", message: String(cause) });
  }
  const text = await response.text();
  if (!response.ok) throw problemOf(response, text);
  return JSON.parse(text) as ImportedArchive;
}
