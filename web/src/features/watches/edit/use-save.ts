import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { go } from "@/data/use-route";
import { addWatch, changeWatch, deleteWatch, type Watch, type WatchSettings } from "@/data/watches";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";
import type { Draft } from "./draft";

/** Makes a watch, or changes it, and opens its page. */
export function useSave(watch: Watch | null) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);

  const save = async (settings: WatchSettings, { interval, folders }: Draft) => {
    setSaving(true);
    setRefused(null);
    const body = { settings, interval, accepted: true };
    try {
      if (watch) {
        await changeWatch(client, watch.id, body);
        go(`/watches/${watch.id}`);
        showToast(t`Changes saved`);
      } else {
        const made = await addWatch(client, { ...body, folderIds: [...folders] });
        go(`/watches/${made.id}`);
        offerUndo(t`Watching ${made.name}`, () =>
          deleteWatch(client, made.id).then(() => go("/watches")),
        );
      }
    } catch (cause) {
      setRefused(toApiError(cause));
      setSaving(false);
    }
  };
  return { isSaving, refused, save };
}
