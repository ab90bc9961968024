export const itemPath = /^\/api\/items\/([0-9]+)$/;
const batchPath = /^\/api\/items\/bodies\?/;
export const listPath = /^\/api\/(?:items|feeds\/([0-9]+)\/items)(?:\?|$)/;
export const savedSearchPath = /^\/api\/searches\/[0-9]+\/items(?!.*[?&]since=)(?:\?|$)/;
const barPaths = [
  "/api/me",
  "/api/feeds",
  "/api/folders",
  "/api/labels",
  "/api/searches",
  "/api/today",
];

/** Where an answer is stored; null is not stored (searches that are not saved, figures). */
export function kindOf(url: string): "item" | "batch" | "list" | "bar" | null {
  if (itemPath.test(url)) return "item";
  if (batchPath.test(url)) return "batch";
  if (listPath.test(url) || savedSearchPath.test(url)) return "list";
  return barPaths.includes(url) ? "bar" : null;
}
