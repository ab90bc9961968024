import { Trans } from "@lingui/react/macro";
import { Flame } from "lucide-react";
import { useMe } from "@/data/me";
import { Link } from "@/ui/link";

/** What counts would do, and who can switch them on. */
export function CountsOff() {
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
