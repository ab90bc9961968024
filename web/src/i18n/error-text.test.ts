import { i18n } from "@lingui/core";
import { expect, test } from "vitest";
import { ApiError } from "@/data/api-error";
import { errorText } from "./error-text";

const answer = (status: number, code: string, message?: string) =>
  errorText(new ApiError(status, { code, ...(message ? { message, action: "Elf." } : {}) }), i18n);

test("what the server says is shown as it says it", () => {
  expect(answer(409, "too_soon", "Zehn.")).toEqual({ message: "Zehn.", action: "Elf." });
  expect(answer(500, "internal", "Zehn.")).toEqual({ message: "Zehn.", action: "Elf." });
});

test("what the page raises is in the page's words", () => {
  expect(answer(0, "unreachable", "TypeError").message).toMatch(/^The server cannot be reached/);
});

test("an answer that is not of the server still has a text", () => {
  expect(answer(502, "internal").message).toBe("The server did not answer as expected.");
  expect(answer(0, "no_such_code").message).toMatch(/^The server cannot be reached/);
});
