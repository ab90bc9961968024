import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Flame } from "lucide-react";
import { useState } from "react";
import { setSite } from "@/data/account/people";
import { toApiError } from "@/data/api-error";
import { useMe } from "@/data/me";
import { listsKey } from "@/data/stream";
import { go } from "@/data/use-route";
import { CountsDisclosure } from "@/ui/counts-disclosure";
import { Link } from "@/ui/link";
import { showError } from "@/ui/show-error";
import { tagsKey } from "./tags-key";

const settings = "/settings/popularity";

/** What counts would do, what they disclose, and the owner's switch. */
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
          With them, this page shows which articles of your feeds other people bookmark at Hatena.{" "}
          <CountsDisclosure />
        </Trans>
      </p>
      {isOwner ? (
        <SwitchOn />
      ) : (
        <p>
          <Trans>The owner of this server can switch them on.</Trans>
        </p>
      )}
    </div>
  );
}

function SwitchOn() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const switchOn = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await setSite(client, { bookmarkCounts: { isOn: true } });
      for (const queryKey of [listsKey, tagsKey]) void client.invalidateQueries({ queryKey });
    } catch (cause) {
      // The settings ask for the sign-in.
      if (toApiError(cause).code === "sign_in_again") go(settings);
      else showError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-wrap justify-center gap-2">
      <button
        type="button"
        className="btn btn-main"
        aria-disabled={busy}
        onClick={() => void switchOn()}
      >
        <Trans>Show bookmark counts</Trans>
      </button>
      <Link className="btn" href={settings}>
        <Trans>Settings for bookmark counts</Trans>
      </Link>
    </div>
  );
}
