import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useState } from "react";
import type { Feed } from "@/data/types";
import { IconButton } from "@/ui/icon-button";
import { EditDialog } from "./edit-dialog";
import type { SubscriptionActions } from "./use-subscription-actions";

interface Props {
  feeds: readonly Feed[];
  actions: SubscriptionActions;
  onClear: () => void;
}

/** Actions for the selected subscriptions; fixed over the end of the page, so that nothing moves. */
export function BulkBar({ feeds, actions, onClear }: Props) {
  const { t } = useLingui();
  const [editing, setEditing] = useState(false);
  const count = feeds.length;
  const allMuted = feeds.every((feed) => feed.isMuted);
  return (
    <section className="bulk" aria-label={t`Selected feeds`}>
      <p role="status">
        <Plural value={count} one="# selected" other="# selected" />
      </p>
      <button type="button" className="btn" onClick={() => setEditing(true)}>
        <Trans>Edit…</Trans>
      </button>
      <button
        type="button"
        className="btn"
        onClick={() =>
          void actions.change(
            feeds,
            () => ({ isMuted: !allMuted }),
            allMuted
              ? t`${plural(count, { one: "# feed unmuted", other: "# feeds unmuted" })}`
              : t`${plural(count, { one: "# feed muted", other: "# feeds muted" })}`,
          )
        }
      >
        {allMuted ? <Trans>Unmute</Trans> : <Trans>Mute</Trans>}
      </button>
      <button
        type="button"
        className="btn"
        onClick={() => {
          onClear();
          void actions.unsubscribe(feeds);
        }}
      >
        <Trans>Unsubscribe</Trans>
      </button>
      <IconButton label={t`Clear selection`} icon={<X />} onClick={onClear} />
      {editing && <EditDialog feeds={feeds} actions={actions} onClose={() => setEditing(false)} />}
    </section>
  );
}
