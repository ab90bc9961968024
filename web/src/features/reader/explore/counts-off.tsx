import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { setSite } from "@/data/account/people";
import { toApiError } from "@/data/api-error";
import { useMe } from "@/data/me";
import { listsKey } from "@/data/stream";
import { go } from "@/data/use-route";
import { showError } from "@/ui/show-error";

/** What counts would add and disclose, in one sentence, with the owner's switch. Everything else here needs nobody's consent. */
export function CountsOff() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  if (useMe().data?.user.isOwner !== true) return null;
  const switchOn = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await setSite(client, { bookmarkCounts: { isOn: true } });
      void client.invalidateQueries({ queryKey: listsKey });
    } catch (cause) {
      // The settings ask for the sign-in.
      if (toApiError(cause).code === "sign_in_again") go("/settings/popularity");
      else showError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <p className="counts-off">
      <Trans>
        To rank by bookmarks as well, the links of articles from all feeds of this server are sent
        to Hatena Co., Ltd. in Japan, without anything about the people who read here.
      </Trans>{" "}
      <button type="button" className="btn" aria-disabled={busy} onClick={() => void switchOn()}>
        <Trans>Show bookmark counts</Trans>
      </button>
    </p>
  );
}
