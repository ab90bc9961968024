import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useState } from "react";
import type { Feed } from "@/data/types";
import { IconButton } from "@/ui/icon-button";
import { EditDialog } from "./edit-dialog";
import type { Deeds } from "./use-deeds";

interface Props {
  feeds: readonly Feed[];
  deeds: Deeds;
  onClear: () => void;
}

/** What can be done to the chosen subscriptions; it lies over the end of the page, so that nothing moves. */
export function BulkBar({ feeds, deeds, onClear }: Props) {
  const { t } = useLingui();
  const [editing, setEditing] = useState(false);
  const count = feeds.length;
  const allMuted = feeds.every((feed) => feed.isMuted);
  return (
    <section className="bulk" aria-label={t`Chosen feeds`}>
      <p role="status">
        <Plural value={count} one="# chosen" other="# chosen" />
      </p>
      <button type="button" className="btn" onClick={() => setEditing(true)}>
        <Trans>Edit…</Trans>
      </button>
      <button
        type="button"
        className="btn"
        onClick={() =>
          void deeds.change(
            feeds,
            () => ({ isMuted: !allMuted }),
            allMuted
              ? t`${plural(count, { one: "# feed is heard again.", other: "# feeds are heard again." })}`
              : t`${plural(count, { one: "# feed muted.", other: "# feeds muted." })}`,
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
          void deeds.unsubscribe(feeds);
        }}
      >
        <Trans>Unsubscribe</Trans>
      </button>
      <IconButton label={t`Choose none`} icon={<X />} onClick={onClear} />
      {editing && <EditDialog feeds={feeds} deeds={deeds} onClose={() => setEditing(false)} />}
    </section>
  );
}
