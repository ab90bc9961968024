import type { FeedId } from "@/data/types";
import { lazyNamed } from "@/ui/lazy-named";
import { ListPage } from "./list-page";
import "./manage.css";

const DetailPage = lazyNamed("DetailPage", () => import("./detail-page"));

/** The list of subscriptions, or the page of one. */
export function SubscriptionsScreen({ feed }: { feed: FeedId | null }) {
  return feed === null ? <ListPage /> : <DetailPage key={feed} id={feed} />;
}
