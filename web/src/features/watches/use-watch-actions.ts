import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useFeedsById } from "@/data/feeds";
import { changeWatch, deleteWatch, restoreWatch, runWatch, type Watch } from "@/data/watches";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo, withUndo } from "@/ui/undo";

/** What can be done with a watch, with its messages. */
export function useWatchActions() {
  const { t } = useLingui();
  const client = useQueryClient();
  const feeds = useFeedsById();
  const [running, setRunning] = useState<string | null>(null);

  const pause = async (watch: Watch) => {
    const { id, name, isPaused } = watch;
    try {
      await changeWatch(client, id, { isPaused: !isPaused });
      offerUndo(isPaused ? t`${name} resumed` : t`${name} paused`, () =>
        changeWatch(client, id, { isPaused }),
      );
    } catch (cause) {
      showError(cause);
    }
  };

  const run = async ({ id, name }: Watch) => {
    if (running !== null) return;
    setRunning(id);
    try {
      const count = await runWatch(client, id);
      showToast(
        count === 0
          ? t`${name}: nothing new`
          : t`${name}: ${plural(count, { one: "# new article", other: "# new articles" })}`,
      );
    } catch (cause) {
      showError(cause);
    }
    setRunning(null);
  };

  const remove = (watch: Watch) => {
    const { id, name, interval } = watch;
    const folderIds = feeds.get(watch.feedId)?.folders ?? [];
    void withUndo(t`${name} deleted`, deleteWatch(client, id), () =>
      restoreWatch(client, id, { interval, folderIds }),
    );
  };

  return { running, pause, run, remove };
}

export type WatchActions = ReturnType<typeof useWatchActions>;
