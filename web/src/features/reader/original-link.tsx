import type { ComponentProps } from "react";
import { note } from "@/data/notes";
import type { ItemSummary } from "@/data/types";

interface Props extends ComponentProps<"a"> {
  item: Pick<ItemSummary, "id" | "link">;
}

/** A link to the original of an item, in a new tab. Clicks are counted. */
export function OriginalLink({ item, onClick, children, ...rest }: Props) {
  const count = () => note("clicked", item.id);
  return (
    <a
      href={item.link}
      target="_blank"
      rel="noopener noreferrer"
      onAuxClick={count} // the middle button
      onClick={(event) => {
        count();
        onClick?.(event);
      }}
      {...rest}
    >
      {children}
    </a>
  );
}
