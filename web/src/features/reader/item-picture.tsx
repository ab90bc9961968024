import { type ReactNode, useState } from "react";
import type { ItemSummary } from "@/data/types";

interface Props {
  item: Pick<ItemSummary, "imageUrl" | "imageWidth" | "imageHeight">;
  /** Shown when there is no picture or it cannot be loaded; with null there is no box. */
  instead: ReactNode;
}

/** The picture of an item, in a box with the size of the view, so that nothing moves. */
export function ItemPicture({ item, instead }: Props) {
  const url = item.imageUrl;
  const [broken, setBroken] = useState<string | null>(null);
  if (!url && !instead) return null;
  return (
    <span className="picture" aria-hidden="true">
      {url && broken !== url ? (
        <img
          src={url}
          alt=""
          width={item.imageWidth ?? undefined}
          height={item.imageHeight ?? undefined}
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          onError={() => setBroken(url)}
        />
      ) : (
        instead
      )}
    </span>
  );
}
