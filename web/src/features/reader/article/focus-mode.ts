import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { useCommands } from "@/keys/use-command";
import { phone } from "@/ui/use-media";

const root = document.documentElement;
const pane = '.frame[data-view="article"]:not([data-layout])';

/** Whether focus mode is possible: not on phones, and not for an item that is open in the list. */
export const canFocus = () => !matchMedia(phone).matches && document.querySelector(pane) !== null;

/** Focus mode: only the item is shown (frame.css), until it is left or the item is closed. */
export function useFocusMode(
  heading: RefObject<HTMLHeadingElement | null>,
  wantsFocus: RefObject<boolean>,
): void {
  const [isOn, setOn] = useState(() => root.hasAttribute("data-alone"));
  const put = (is: boolean) => {
    if (!canFocus()) return false;
    // The row with the focus will be hidden.
    heading.current?.focus({ preventScroll: true });
    root.toggleAttribute("data-alone", is);
    setOn(is);
    return true;
  };
  useCommands({
    "article.alone": () => put(!isOn),
    // Registered last, it runs before the command that closes the item.
    ...(isOn ? { back: () => put(false) } : {}),
  });
  useLayoutEffect(() => {
    if (isOn && canFocus()) wantsFocus.current = true;
  }, [isOn, wantsFocus]);
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (!document.querySelector(pane)) root.removeAttribute("data-alone");
      });
    },
    [],
  );
}
