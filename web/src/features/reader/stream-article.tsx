import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { about } from "@/data/about";
import { bodyQuery } from "@/data/bodies";
import { useSetting } from "@/data/settings";
import { useStore } from "@/data/store";
import type { Feed, ItemSummary } from "@/data/types";
import { useReadingStyle } from "@/ui/reading-style";
import { ArticleContent } from "./article/article-content";
import { useFullText } from "./article/use-full-text";
import { useStoppedInStream } from "./article/use-stopped";
import "./article/article.css";

interface Props {
  item: ItemSummary;
  feed: Feed | undefined;
  position: number;
  size: number;
}

/** The text of an item below its head, in Stream. */
export function StreamArticle({ item, feed, position, size }: Props) {
  const query = useQuery(bodyQuery(item.id));
  const text = useFullText(item.id, query.data);
  const showImages = useSetting("showImages");
  const isAbout = useStore(about, (one) => one === item.id);
  const heading = useRef<HTMLHeadingElement>(null);
  const article = useRef<HTMLElement>(null);
  useStoppedInStream(item.id, article, query.data !== undefined);
  return (
    // A feed holds articles and nothing else: this is the same one as the row above.
    <article
      ref={article}
      className="opened typeset"
      aria-posinset={position}
      aria-setsize={size}
      data-waiting={query.isPending || undefined}
      {...useReadingStyle()}
    >
      <ArticleContent
        item={query.data ?? item}
        query={query}
        feed={feed}
        text={text}
        showImages={showImages}
        headingRef={heading}
        onTop={() => undefined}
        onAboutClosed={isAbout ? () => about.set(null) : null}
      />
    </article>
  );
}
