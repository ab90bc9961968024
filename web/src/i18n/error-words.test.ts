import { i18n } from "@lingui/core";
import { expect, test } from "vitest";
import { ApiError } from "@/data/api-error";
import { errorText, errorWords, wordsFor } from "./error-words";

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

test("a refusal we have no words for is told in the server's, a fault of ours is not", () => {
  const told = (category: "validation" | "system", status = 409) =>
    errorText(
      new ApiError(status, { code: "no_such_code", category, message: "Zehn.", action: "Elf." }),
      i18n,
    );
  expect(told("validation")).toEqual({ says: "Zehn.", remedy: "Elf." });
  expect(told("system", 500).says).toBe("This is a fault of ours.");
  expect(errorText(new ApiError(0, { code: "unreachable", message: "TypeError" }), i18n).says).toBe(
    "The reader cannot be reached. Nothing was changed.",
  );
});

test("how long to wait for a feed is in the server's words, in the language of the page", () => {
  const error = new ApiError(409, {
    code: "too_soon",
    category: "feed",
    message: "Just checked. Try again in 4 min.",
    action: "",
  });
  expect(errorText(error, i18n).says).toBe("Just checked. Try again in 4 min.");
});
