import { t } from "@lingui/core/macro";
import { ApiError } from "@/data/api-error";

/** Where the server runs as functions, a file beyond its limit never reaches it: it is refused here, with the limit. */
export function refuseLarge(file: File, most: number | undefined): void {
  if (most === undefined || file.size <= most) return;
  const mb = Math.floor(most / 2 ** 20);
  throw new ApiError(413, {
    code: "request_too_large",
    category: "validation",
    message: t`The file is larger than ${mb} MB, the most that this reader takes at once.`,
  });
}
