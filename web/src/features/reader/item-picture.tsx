import { type ReactNode, useState } from "react";
import type { ItemSummary } from "@/data/types";

interface Props {
  item: Pick<ItemSummary, "imageUrl" | "imageWidth" | "imageHeight">;
  /** What stands in the box where there is no picture, or one that cannot be loaded; null leaves the box out. */
  instead: ReactNode;
}

/** The picture of an item in a box whose size the view sets: whatever comes of it, nothing moves. */
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
