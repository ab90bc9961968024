import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { ReaderRoute } from "@/data/routes";
import { runCommand } from "@/keys/use-command";
import { KeyHint } from "@/ui/key-hint";
import { Link } from "@/ui/link";
import { useUnread } from "./stream-title";

interface Props {
  route: ReaderRoute;
  title: string;
  hasItems: boolean;
}

/** The sheet beside a list while no item is open: where one is, and the ways on. */
export function NoItem({ route, title, hasItems }: Props) {
  const { t } = useLingui();
  const unread = useUnread(route);
  return (
    <section className="article-pane" aria-label={t`Article`}>
      <div className="state no-item m-auto">
        <p className="title" dir="auto">
          {title || <br />}
        </p>
        {/* The lines are there before the feed and the number: nothing moves. */}
        <p>
          {unread === undefined ? (
            <br />
          ) : (
            t`${plural(unread, { one: "# unread", other: "# unread" })}`
          )}
        </p>
        <div className="flex flex-wrap justify-center gap-2">
          {hasItems && (
            <button type="button" className="btn" onClick={() => runCommand("item.next")}>
              <Trans>Start reading</Trans>
              <KeyHint command="item.next" />
            </button>
          )}
          <Link className="btn" href="/">
            <Trans>Today</Trans>
          </Link>
        </div>
      </div>
    </section>
  );
}
