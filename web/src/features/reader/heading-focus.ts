import { type RefObject, useEffect, useLayoutEffect } from "react";

/**
 * Focuses the heading when `wanted` is set. The heading of the skeleton sets it again when the article replaces it, so that
 * the focus is not lost.
 */
export function useHeadingFocus(
  heading: RefObject<HTMLHeadingElement | null>,
  wanted: RefObject<boolean>,
): void {
  useEffect(() => {
    if (!wanted.current) return;
    wanted.current = false;
    heading.current?.focus({ preventScroll: true });
  }, [heading, wanted]);
  useLayoutEffect(() => {
    const mine = heading.current;
    return () => {
      if (mine && mine === document.activeElement) wanted.current = true;
    };
  }, [heading, wanted]);
}
