import { type RefObject, useEffect, useLayoutEffect } from "react";

/**
 * Gives the focus to the heading where it is wanted. The skeleton's heading goes when the article's own
 * comes: it hands the wish on, so that the focus is never lost between the two.
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
