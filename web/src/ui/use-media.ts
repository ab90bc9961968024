import { useSyncExternalStore } from "react";

export const phone = "(max-width: 767px)";
export const wide = "(min-width: 1200px)";

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}
