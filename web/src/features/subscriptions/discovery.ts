import type { ApiError } from "@/data/api-error";

export interface Candidate {
  url: string;
  title: string;
}

/** What a person types or pastes: a bare host becomes https, "feed:" is what it stands for. */
export function normalUrl(typed: string): string {
  const text = typed.trim();
  if (text === "") return "";
  if (/^feed:\/\//i.test(text)) return `https://${text.slice(7)}`;
  if (/^feed:/i.test(text)) return text.slice(5);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

export function candidatesOf(error: ApiError | null): Candidate[] {
  const list = error?.problem.candidates;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const { url, title } = (one ?? {}) as Record<string, unknown>;
    return typeof url === "string" ? [{ url, title: typeof title === "string" ? title : "" }] : [];
  });
}

export function triedOf(error: ApiError | null): string[] {
  const list = error?.problem.tried;
  if (!Array.isArray(list)) return [];
  return list.filter((one): one is string => typeof one === "string");
}
