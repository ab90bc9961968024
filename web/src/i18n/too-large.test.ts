import { i18n } from "@lingui/core";
import { expect, it } from "vitest";
import { ApiError } from "@/data/api-error";
import { errorText } from "./error-text";
import { refuseLarge } from "./too-large";

const most = 4 * 2 ** 20;
const file = (size: number) => new File([new Uint8Array(size)], "file");

it("lets files through up to the limit, and all where none is known", () => {
  refuseLarge(file(most), most);
  refuseLarge(file(most + 1), undefined);
});

it("names the limit that a file is beyond", () => {
  let said = "";
  try {
    refuseLarge(file(most + 1), most);
  } catch (cause) {
    said = errorText(cause as ApiError, i18n).message;
  }
  expect(said).toContain("4 MB");
});

it("shows what the server says of its own limits", () => {
  const message = "The file is larger than 5 MB, the most that one import takes.";
  for (const code of ["opml_too_large", "starred_too_large", "request_too_large"]) {
    const error = new ApiError(413, { code, category: "validation", message });
    expect(errorText(error, i18n).message).toBe(message);
  }
});
