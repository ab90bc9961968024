import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toApiError } from "@/data/api-error";
import { removeFeed } from "@/data/feed-remove";
import { startImport } from "@/data/imports";
import { writeOpml } from "@/data/opml";
import type { Feed } from "@/data/types";
import { errorText } from "@/i18n/error-words";
import { showToast, showUndo } from "@/ui/toasts";

/** Some homes come with feeds to try things out on: they are kept, or leave together. */
export function SampleNote({ feeds }: { feeds: readonly Feed[] }) {
  const { t, i18n } = useLingui();
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
      showUndo(t`The sample feeds are gone.`, t`Undo`, () => {
        startImport(client, new File([opml], "samples.opml")).catch(() =>
          showToast(t`This could not be undone.`),
        );
      });
    } catch (cause) {
      showToast(errorText(toApiError(cause), i18n).says);
    }
    setBusy(false);
  };

  return (
    <p className="samples">
      <span>
        <Plural
          value={samples.length}
          one="# sample feed is there already, to try things out."
          other="# sample feeds are there already, to try things out."
        />
      </span>
      <button type="button" className="btn" disabled={isBusy} onClick={() => void remove()}>
        <Trans>Remove the samples</Trans>
      </button>
    </p>
  );
}
