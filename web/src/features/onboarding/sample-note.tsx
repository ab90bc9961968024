import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { startImport } from "@/data/imports";
import { removeFeed } from "@/data/mutations/feed-remove";
import { writeOpml } from "@/data/opml";
import type { Feed } from "@/data/types";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";

/** Some installations come with sample feeds: offers to remove them. */
export function SampleNote({ feeds }: { feeds: readonly Feed[] }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const samples = feeds.filter((feed) => feed.isSample);
  if (samples.length === 0) return null;

  const remove = async () => {
    setBusy(true);
    try {
      for (const feed of samples) await removeFeed(client, feed.id);
      const opml = writeOpml(
        "",
        samples.map(({ title, url }) => ({ title, url })),
      );
      offerUndo(t`Sample feeds removed`, () =>
        startImport(client, new File([opml], "samples.opml")).catch(() =>
          showToast(t`Could not undo this.`),
        ),
      );
    } catch (cause) {
      showError(cause);
    }
    setBusy(false);
  };

  return (
    <p className="samples">
      <span>
        <Plural
          value={samples.length}
          one="# sample feed is included so you can try things out."
          other="# sample feeds are included so you can try things out."
        />
      </span>
      <button type="button" className="btn" disabled={isBusy} onClick={() => void remove()}>
        <Trans>Remove samples</Trans>
      </button>
    </p>
  );
}
