import type { ComponentProps, MouseEvent } from "react";
import { outward } from "@/data/base";
import { go } from "@/data/use-route";

/** A link within the page, without a reload. */
export function Link({ href, onClick, ...rest }: ComponentProps<"a"> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || !isPlainClick(event)) return;
    event.preventDefault();
    go(href);
  };
  return <a href={outward(href)} onClick={follow} {...rest} />;
}

export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
