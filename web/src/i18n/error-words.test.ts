import { expect, test } from "vitest";
import { ApiError } from "@/data/api-error";
import { errorWords, wordsFor } from "./error-words";

test("what a request met is not said to be tried again by itself", () => {
  const kept = wordsFor("connection_refused", "network").remedy;
  expect(kept?.message).toBe("It is tried again by itself.");
  for (const code of [
    "connection_refused",
    "timeout",
    "tls_failure",
    "http_429",
    "http_5xx",
    "no_such_code",
  ]) {
    expect(errorWords(new ApiError(422, { code, category: "feed" })).remedy?.message).toBe(
      "Try again.",
    );
  }
  for (const code of ["http_403", "http_410"]) {
    expect(errorWords(new ApiError(422, { code, category: "feed" })).remedy?.message).toMatch(
      /^Check the address/,
    );
  }
});
