import { useLingui } from "@lingui/react/macro";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReaderRoute, readerPath } from "@/data/routes";
import type { ItemSummary } from "@/data/types";
import { itemName } from "@/i18n/item-name";
import { Link } from "@/ui/link";

interface Props {
  route: ReaderRoute;
  previous: ItemSummary | undefined;
  next: ItemSummary | undefined;
}

/** Where to go on from the end of an article. */
export function Neighbours({ route, previous, next }: Props) {
  const { t } = useLingui();
  return (
    <nav className="article article-nav pt-0" aria-label={t`Neighbours`}>
      <div className="article-end">
        {previous && (
          <Link className="btn" href={readerPath(route.stream, route.filter, previous.id, route)}>
            <ArrowUp size={16} aria-hidden="true" />
            <span dir="auto">{itemName(previous)}</span>
          </Link>
        )}
        {next && (
          <Link className="btn" href={readerPath(route.stream, route.filter, next.id, route)}>
            <ArrowDown size={16} aria-hidden="true" />
            <span dir="auto">{itemName(next)}</span>
          </Link>
        )}
      </div>
    </nav>
  );
}
