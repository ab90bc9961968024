import { Trans } from "@lingui/react/macro";
import { SearchX } from "lucide-react";
import { runCommand } from "@/keys/use-command";
import { Link } from "@/ui/link";

/** The list of a feed that one is not subscribed to: an old link, or one of somebody else. */
export function NotSubscribed() {
  return (
    <div className="state" role="alert">
      <SearchX />
      <p className="title">
        <Trans>You aren't subscribed to this feed</Trans>
      </p>
      <p>
        <Trans>To follow it, add its address or the address of its website.</Trans>
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <button type="button" className="btn btn-main" onClick={() => runCommand("feed.add")}>
          <Trans>Add a feed</Trans>
        </button>
        <Link className="btn" href="/all">
          <Trans>Go to all articles</Trans>
        </Link>
      </div>
    </div>
  );
}
