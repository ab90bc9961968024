import type { FeedId } from "@/data/types";
import { DetailPage } from "./detail-page";
import { ListPage } from "./list-page";
import "./manage.css";

/** The list of subscriptions, or the page of one. */
export function SubscriptionsScreen({ feed }: { feed: FeedId | null }) {
  return feed === null ? <ListPage /> : <DetailPage key={feed} id={feed} />;
}
