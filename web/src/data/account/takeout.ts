import type { operations } from "../api.gen";
import { ApiError } from "../api-error";
import { problemOf } from "../client";

export type TakenIn = operations["importMe"]["responses"][200]["content"]["application/json"];

/** Sends an archive as it is: it is no JSON and no form, which is all that the client sends. */
export async function takeIn(file: File): Promise<TakenIn> {
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
  return JSON.parse(text) as TakenIn;
}
