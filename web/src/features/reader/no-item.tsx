import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { streamQuery } from "@/data/stream";
import type { Feed } from "@/data/types";
import { go } from "@/data/use-route";
import { runCommand } from "@/keys/use-command";
import { KeyHint } from "@/ui/key-hint";
import { lazyNamed } from "@/ui/lazy-named";
import { Link } from "@/ui/link";
import { useUnread } from "./stream-title";
import "./today/today.css";

const Sections = lazyNamed("Sections", () => import("./today/today-page"));

interface Props {
  route: ReaderRoute;
  title: string;
  hasItems: boolean;
  feeds: ReadonlyMap<string, Feed>;
  /** Today is asked for after the list. */
  hasToday: boolean;
}

const today = { kind: "today" } as const;

/** The sheet beside a list while no item is open: where one is, and Today. */
export function NoItem({ route, title, hasItems, feeds, hasToday }: Props) {
  const { t } = useLingui();
  const unread = useUnread(route);
  const found = useInfiniteQuery({ ...streamQuery(today, "all", "new"), enabled: hasToday });
  const day = found.data?.pages[0]?.day;
  return (
    <section className="article-pane" aria-label={t`Article`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has nothing to focus in it */}
      <div className="scroll" tabIndex={0}>
        <div className="today no-item">
          <header className="hero">
            <div>
              <h2 dir="auto">{title || <br />}</h2>
              {/* The line is there before the number: nothing moves. */}
              <p>
                <span>
                  {unread === undefined ? (
                    <br />
                  ) : (
                    t`${plural(unread, { one: "# unread", other: "# unread" })}`
                  )}
                </span>
              </p>
            </div>
            {hasItems && (
              <button type="button" className="btn" onClick={() => runCommand("item.next")}>
                <Trans>Start reading</Trans>
                <KeyHint command="item.next" />
              </button>
            )}
          </header>
          {day && (
            <Suspense fallback={null}>
              {/* What follows is of all feeds. */}
              <h2 className="all-feeds">
                <Link href="/">
                  <Trans>Today</Trans>
                </Link>
              </h2>
              <Sections day={day} feeds={feeds} onOpen={(id) => go(readerPath(today, "all", id))} />
            </Suspense>
          )}
        </div>
      </div>
    </section>
  );
}
