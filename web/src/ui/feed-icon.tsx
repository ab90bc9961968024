import { useState } from "react";
import { LetterTile } from "./letter-tile";

/** A feed's own small image; its letter where there is none, or none that can be shown. */
export function FeedIcon({ url, name }: { url: string | null | undefined; name: string }) {
  const [broken, setBroken] = useState<string | null>(null);
  if (!url || broken === url) return <LetterTile name={name} />;
  return (
    <img
      className="feed-icon"
      src={url}
      alt=""
      width={20}
      height={20}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(url)}
    />
  );
}
