import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { useCommands } from "@/keys/use-command";
import { phone } from "@/ui/use-media";

const root = document.documentElement;
const place = '.frame[data-view="article"]:not([data-layout])';

/** Beside its list an item can have the window; on phones it has it, and one that is open in the list has its place there. */
export const canBeAlone = () =>
  !matchMedia(phone).matches && document.querySelector(place) !== null;

/** Reading mode: nothing but the item (frame.css), from item to item, until it is left or the item is closed. */
export function useAlone(
  heading: RefObject<HTMLHeadingElement | null>,
  wantsFocus: RefObject<boolean>,
): void {
  const [isAlone, setAlone] = useState(() => root.hasAttribute("data-alone"));
  const put = (is: boolean) => {
    if (!canBeAlone()) return false;
    // The row that had the focus goes.
    heading.current?.focus({ preventScroll: true });
    root.toggleAttribute("data-alone", is);
    setAlone(is);
    return true;
  };
  useCommands({
    "article.alone": () => put(!isAlone),
    // Registered with the mode, it comes before what closes the item.
    ...(isAlone ? { back: () => put(false) } : {}),
  });
  useLayoutEffect(() => {
    if (isAlone && canBeAlone()) wantsFocus.current = true;
  }, [isAlone, wantsFocus]);
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (!document.querySelector(place)) root.removeAttribute("data-alone");
      });
    },
    [],
  );
}
