import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useState } from "react";
import type { Settings } from "@/data/mutations/subscriptions";
import type { Feed } from "@/data/types";
import { intervalName, intervals } from "@/i18n/intervals";
import { Dialog } from "@/ui/dialog";
import { FolderCheckboxes } from "@/ui/folder-checkboxes";
import { foldersAfter, membership, sameFolders } from "./folder-choice";
import type { SubscriptionActions } from "./use-subscription-actions";

interface Props {
  feeds: readonly Feed[];
  actions: SubscriptionActions;
  onClose: () => void;
}

/** Changes many subscriptions at once; settings that are not touched stay. */
export function EditDialog({ feeds, actions, onClose }: Props) {
  const { t, i18n } = useLingui();
  const id = useId();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [unticked, setUnticked] = useState<ReadonlySet<string>>(new Set());
  const [interval, setInterval] = useState("");
  const [mute, setMute] = useState("");

  const settings = (feed: Feed): Settings => {
    const folders = foldersAfter(feed, ticked, unticked);
    return {
      ...(sameFolders(folders, feed.folders) ? {} : { folders }),
      ...(interval === "" ? {} : { fetchIntervalMinutes: Number(interval) }),
      ...(mute === "" ? {} : { isMuted: mute === "on" }),
    };
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    const touched = feeds.filter((feed) => Object.keys(settings(feed)).length > 0);
    if (touched.length === 0) return;
    void actions.change(
      touched,
      settings,
      t`${plural(touched.length, { one: "# feed updated", other: "# feeds updated" })}`,
    );
  };

  return (
    <Dialog
      title={t`${plural(feeds.length, { one: "Edit # feed", other: "Edit # feeds" })}`}
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <FolderCheckboxes
          membership={(folder) =>
            ticked.has(folder) ? "all" : unticked.has(folder) ? "none" : membership(feeds, folder)
          }
          onTick={(folder, on) => {
            setTicked((old) => (on ? new Set(old).add(folder) : without(old, folder)));
            setUnticked((old) => (on ? without(old, folder) : new Set(old).add(folder)));
          }}
        />
        <div className="field">
          <label htmlFor={`${id}-interval`}>
            <Trans>Interval</Trans>
          </label>
          <select
            id={`${id}-interval`}
            className="select"
            value={interval}
            onChange={(event) => setInterval(event.target.value)}
          >
            <option value="">{t`No change`}</option>
            {intervals.map((minutes) => (
              <option key={minutes} value={minutes}>
                {intervalName(minutes, i18n)}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor={`${id}-mute`}>
            <Trans>Muted</Trans>
          </label>
          <select
            id={`${id}-mute`}
            className="select"
            value={mute}
            onChange={(event) => setMute(event.target.value)}
          >
            <option value="">{t`No change`}</option>
            <option value="on">{t`Muted (hidden from All)`}</option>
            <option value="off">{t`Not muted`}</option>
          </select>
        </div>
        <div className="flex justify-end gap-2">
          <button type="button" className="btn" onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-main">
            <Trans>Apply</Trans>
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function without(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  const rest = new Set(set);
  rest.delete(value);
  return rest;
}
