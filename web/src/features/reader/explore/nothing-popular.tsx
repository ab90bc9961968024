import { Plural, Trans } from "@lingui/react/macro";
import { Flame } from "lucide-react";
import { type Explore, readerPath, thresholds } from "@/data/routes";
import type { StreamPage } from "@/data/stream";
import { runCommand } from "@/keys/use-command";
import { Link } from "@/ui/link";
import { TagList } from "./tag-list";

interface Props {
  explored: Explore;
  counts: StreamPage["counts"];
}

/** Why nothing is popular, and what can be done about it. */
export function NothingPopular({ explored, counts }: Props) {
  if (explored.tab === "tags") return <TagList period={explored.period} />;
  if (counts !== "ready") {
    return (
      <div className="state">
        <Flame />
        <p className="title">
          <Trans>Nothing popular yet</Trans>
        </p>
        <p>
          <Trans>Articles that several of your feeds link to are listed here.</Trans>
        </p>
        {counts === "collecting" && (
          <p>
            <Trans>The first bookmark counts arrive within about an hour.</Trans>
          </p>
        )}
        <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
          <Trans>Add a feed</Trans>
        </button>
      </div>
    );
  }
  const lower = thresholds.findLast((one) => one < explored.threshold);
  const change = (patch: Partial<Explore>) =>
    readerPath({ kind: "explore", ...explored, ...patch });
  return (
    <div className="state">
      <Flame />
      <p className="title">
        <Trans>No articles with that many bookmarks</Trans>
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {lower !== undefined && (
          <Link className="btn" href={change({ threshold: lower })}>
            <Plural value={lower} one="At least # bookmark" other="At least # bookmarks" />
          </Link>
        )}
        {explored.period !== "all" && (
          <Link className="btn" href={change({ period: "all" })}>
            <Trans>Any time</Trans>
          </Link>
        )}
      </div>
    </div>
  );
}
