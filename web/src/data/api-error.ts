import type { Problem } from "./types";

type ErrorCategory = Problem["category"] | "offline";

/** A failed request, also one that never reached the server (status 0, category "offline"). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly category: ErrorCategory;
  /** The body of the answer: some codes have more in it (nextAt, candidates, details). */
  readonly problem: Readonly<Partial<Problem>>;
  readonly requestId: string | null;
  /** Seconds to wait; null when the server gave none. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    problem: Partial<Problem>,
    requestId: string | null = null,
    retryAfter: number | null = null,
  ) {
    super(problem.message ?? problem.code ?? `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code ?? "internal";
    this.category = status === 0 ? "offline" : (problem.category ?? "system");
    this.problem = problem;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(0, { code: "unreachable", message });
}
