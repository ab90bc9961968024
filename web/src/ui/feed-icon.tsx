import { useState } from "react";
import { outward } from "@/data/base";
import { LetterTile } from "./letter-tile";

/** The icon of a feed; its letter when there is none or it cannot be loaded. */
export function FeedIcon({ url, name }: { url: string | null | undefined; name: string }) {
  const [broken, setBroken] = useState<string | null>(null);
  if (!url || broken === url) return <LetterTile name={name} />;
  return (
    <img
      className="feed-icon"
      src={outward(url)}
      alt=""
      width={20}
      height={20}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(url)}
    />
  );
}
