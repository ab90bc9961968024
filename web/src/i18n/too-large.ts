import { t } from "@lingui/core/macro";
import { ApiError } from "@/data/api-error";

/** Throws for a file above the limit: where the server runs as functions, it would never receive the file. */
export function refuseLarge(file: File, most: number | undefined): void {
  if (most === undefined || file.size <= most) return;
  const mb = Math.floor(most / 2 ** 20);
  throw new ApiError(413, {
    code: "file_too_large",
    category: "validation",
    message: t`The file is larger than the ${mb} MB limit.`,
  });
}
