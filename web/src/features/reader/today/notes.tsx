import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { TriangleAlert } from "lucide-react";
import { feedTitle } from "@/data/feeds";
import type { Feed, FeedId, Today } from "@/data/types";
import { useNow } from "@/i18n/use-now";
import { Link } from "@/ui/link";

interface Props {
  day: Today;
  feeds: ReadonlyMap<FeedId, Feed>;
}

/** One line about feeds that are broken or went quiet, and one about the week. */
export function Notes({ day, feeds }: Props) {
  const { t } = useLingui();
  const now = useNow();
  const { week } = day;
  const known = (ids: readonly FeedId[]) => ids.flatMap((id) => feeds.get(id) ?? []);
  const broken = known(day.brokenFeeds);
  const quiet = known(day.quietFeeds);
  const lines: string[] = [];
  const [bad] = broken;
  if (bad)
    lines.push(
      broken.length === 1
        ? t`${feedTitle(bad)} could not be fetched.`
        : t`${plural(broken.length, { one: "# feed", other: "# feeds" })} could not be fetched.`,
    );
  const [still] = quiet;
  if (still) {
    const days = Math.floor((now - Date.parse(still.lastItemAt ?? "")) / (24 * 60 * 60_000));
    lines.push(
      quiet.length === 1
        ? t`${feedTitle(still)} has been quiet for ${plural(days, { one: "# day", other: "# days" })}.`
        : t`${plural(quiet.length, { one: "# feed has", other: "# feeds have" })} gone quiet.`,
    );
  }
  return (
    <>
      {lines.length > 0 && (
        <p className="today-note">
          {bad && <TriangleAlert size={16} aria-hidden="true" />}
          <span>{lines.join(" ")}</span>
          <Link href="/subscriptions">
            <Trans>Subscriptions</Trans>
          </Link>
        </p>
      )}
      {week.read + week.starred > 0 && (
        <p className="today-note" data-quiet="">
          {t`In the last seven days you read ${plural(week.read, {
            one: "# article",
            other: "# articles",
          })} and starred ${week.starred}.`}
        </p>
      )}
    </>
  );
}
