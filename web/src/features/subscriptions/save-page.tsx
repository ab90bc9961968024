import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Clock } from "lucide-react";
import { useState } from "react";
import { itemQuery } from "@/data/item";
import { setItemLabels } from "@/data/mutations/item-labels";
import { savePage } from "@/data/mutations/labels";
import { showError } from "@/ui/show-error";
import { offerUndo } from "@/ui/undo";

interface Props {
  url: string;
  isBusy: boolean;
  onSaved: () => void;
}

/** Keeps the page at an address to read it later, without a subscription. */
export function SavePage({ url, isBusy, onSaved }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      const { id, labelId, message } = await savePage(client, url);
      onSaved();
      const text = t`Saved to Read later`;
      // The address is kept, whatever became of the text.
      offerUndo(message ? t`Saved to Read later without its text: ${message}` : text, async () => {
        const { labels } = await client.fetchQuery(itemQuery(id));
        await setItemLabels(
          client,
          id,
          labels.filter((one) => one !== labelId),
        );
      });
    } catch (cause) {
      setSaving(false);
      showError(cause);
    }
  };
  return (
    <button
      type="button"
      className="btn save-page"
      aria-disabled={isSaving || isBusy}
      onClick={() => !isSaving && !isBusy && void save()}
    >
      <Clock size={16} />
      <Trans>Save page to Read later</Trans>
    </button>
  );
}
