import { Trans } from "@lingui/react/macro";
import { Flame, Hourglass } from "lucide-react";
import { useMe } from "@/data/me";
import { type Explore, readerPath, thresholds } from "@/data/routes";
import type { StreamPage } from "@/data/stream";
import { Link } from "@/ui/link";

interface Props {
  explored: Explore;
  counts: StreamPage["counts"];
}

/** Why nothing is popular, and what can be done about it. */
export function NothingPopular({ explored, counts }: Props) {
  if (counts === "off") return <Off />;
  if (counts === "collecting") {
    return (
      <div className="state">
        <Hourglass />
        <p className="title">
          <Trans>Bookmark counts are being collected</Trans>
        </p>
        <p>
          <Trans>The first counts arrive within about an hour.</Trans>
        </p>
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
        <Trans>No articles with so many bookmarks</Trans>
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {lower !== undefined && (
          <Link className="btn" href={change({ threshold: lower })}>
            <Trans>{lower} bookmarks or more</Trans>
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

function Off() {
  const isOwner = useMe().data?.user.isOwner === true;
  return (
    <div className="state">
      <Flame />
      <p className="title">
        <Trans>Bookmark counts are off</Trans>
      </p>
      <p>
        <Trans>
          With them, this page shows which articles of your feeds other people bookmark at Hatena.
          For this, the links of articles are sent to Hatena.
        </Trans>
      </p>
      {isOwner ? (
        <Link className="btn" href="/settings/popularity">
          <Trans>Settings for bookmark counts</Trans>
        </Link>
      ) : (
        <p>
          <Trans>The owner of this server can switch them on.</Trans>
        </p>
      )}
    </div>
  );
}
