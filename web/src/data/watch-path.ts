/** Where a watch of a page is made; features/watches/place.ts reads it. */
export function newWatchPath(url: string): string {
  return url === "" ? "/watches/new" : `/watches/new?url=${encodeURIComponent(url)}`;
}
