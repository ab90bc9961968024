import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Bell, BellRing } from "lucide-react";
import {
  changeNotifications,
  notificationsQuery,
  useNotifications,
} from "@/data/account/notifications";
import { changeSubscriptions } from "@/data/mutations/subscriptions";
import { pushDevice } from "@/data/push-device";
import type { Stream } from "@/data/routes";
import { useKnownTree } from "@/data/tree";
import type { Feed } from "@/data/types";
import { go } from "@/data/use-route";
import { MenuItem } from "@/ui/menu";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";

interface Props {
  stream: Stream;
  feed: Feed | undefined;
  onDone: () => void;
}

/**
 * Whether this device is told of new articles of a feed, a folder or a saved search. Until it gets notifications at all,
 * the server is not asked.
 */
export function NotifyItem({ stream, feed, onDone }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { folders } = useKnownTree();
  const isHere = pushDevice() !== null;
  const ids = stream.kind === "folder" ? "folderIds" : stream.kind === "saved" ? "searchIds" : null;
  const settings = useNotifications(isHere && ids !== null).data;
  if (!ids && !feed) return null;
  const id = "id" in stream ? stream.id : "";
  const isOn = isHere && (ids ? settings?.[ids].includes(id) === true : feed?.notify === true);

  const choose = async (on: boolean) => {
    if (ids) {
      const others = (await client.ensureQueryData(notificationsQuery))[ids].filter(
        (one) => one !== id,
      );
      await changeNotifications(client, { [ids]: on ? [...others, id] : others });
    } else if (feed && feed.notify !== on) {
      const [refused] = await changeSubscriptions(client, [{ id: feed.id, notify: on }], folders);
      if (refused) throw new Error(refused.message);
    }
  };
  const toggle = async () => {
    onDone();
    try {
      const { startPush } = await import("@/data/push");
      if (!isHere && (await startPush(client)) !== "on") {
        go("/settings/notifications"); // it says why not
        return;
      }
      await choose(!isOn);
      showToast(isOn ? t`Notifications turned off` : t`You will be notified of new articles`);
    } catch (cause) {
      showError(cause);
    }
  };
  return (
    <MenuItem
      role="menuitemcheckbox"
      aria-checked={isOn}
      icon={isOn ? <BellRing /> : <Bell />}
      onClick={() => void toggle()}
    >
      <Trans>Notify my devices</Trans>
      {isOn && (
        <span className="ms-auto text-ink" aria-hidden="true">
          ✓
        </span>
      )}
    </MenuItem>
  );
}
