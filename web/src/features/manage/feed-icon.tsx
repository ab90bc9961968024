import { feedTitle } from "@/data/feeds";
import type { Feed } from "@/data/types";
import { LetterTile } from "@/ui/letter-tile";

export function FeedIcon({ feed }: { feed: Feed }) {
  if (!feed.iconUrl) return <LetterTile name={feedTitle(feed)} />;
  return (
    <img className="feed-icon" src={feed.iconUrl} alt="" width={20} height={20} loading="lazy" />
  );
}
