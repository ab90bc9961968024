import { Trans, useLingui } from "@lingui/react/macro";
import { Funnel } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { feedTitle } from "@/data/feeds";
import type { Settings } from "@/data/mutations/subscriptions";
import type { Feed } from "@/data/types";
import { intervalName, intervals } from "@/i18n/intervals";
import { FolderCheckboxes } from "@/ui/folder-checkboxes";
import { Link } from "@/ui/link";
import { foldersAfter, membership } from "./folder-choice";
import type { SubscriptionActions } from "./use-subscription-actions";

const maxTitle = 200;

/** The settings of a feed. Each change applies at once and can be undone. */
export function SettingsCard({ feed, actions }: { feed: Feed; actions: SubscriptionActions }) {
  const { t, i18n } = useLingui();
  const id = useId();
  const name = feedTitle(feed);
  const set = (settings: Settings, text: string) =>
    void actions.change([feed], () => settings, text);
  const toggle = (setting: "isMuted" | "fullText" | "notify", on: string, off: string) => ({
    type: "checkbox",
    checked: feed[setting],
    onChange: () => set({ [setting]: !feed[setting] }, feed[setting] ? off : on),
  });

  return (
    <section className="card settings" aria-labelledby="set">
      <h2 id="set">
        <Trans>Settings</Trans>
      </h2>
      <div className="halves">
        <div className="flex min-w-0 flex-col gap-4">
          <TitleForm
            key={feed.customTitle}
            feed={feed}
            onRename={(title) =>
              set({ title }, title === "" ? t`Original name restored` : t`Renamed to ${title}`)
            }
          />
          <div className="field">
            <label htmlFor={`${id}-interval`}>
              <Trans>Interval</Trans>
            </label>
            <select
              id={`${id}-interval`}
              className="select"
              value={feed.ownIntervalMinutes}
              onChange={(event) =>
                set(
                  { fetchIntervalMinutes: Number(event.target.value) },
                  t`Interval changed for ${name}`,
                )
              }
            >
              {intervals.map((minutes) => (
                <option key={minutes} value={minutes}>
                  {intervalName(minutes, i18n)}
                </option>
              ))}
            </select>
          </div>
          <div>
            <label className="check">
              <input {...toggle("isMuted", t`${name} muted`, t`${name} unmuted`)} />
              <span>
                <Trans>Mute</Trans>
                <span className="hint">
                  <Trans>Hidden from All and unread counts</Trans>
                </span>
              </span>
            </label>
            <label className="check">
              <input
                {...toggle(
                  "fullText",
                  t`${name} now opens with full text`,
                  t`${name} now opens with feed text`,
                )}
              />
              <span>
                <Trans>Full text</Trans>
                <span className="hint">
                  <Trans>Load the article text from the linked page</Trans>
                </span>
              </span>
            </label>
            <label className="check">
              <input
                {...toggle(
                  "notify",
                  t`“Notify my devices” turned on for ${name}`,
                  t`“Notify my devices” turned off for ${name}`,
                )}
              />
              <span>
                <Trans>Notify my devices</Trans>
                <span className="hint">
                  <Trans>
                    Devices with notifications on, and webhooks limited to selected feeds
                  </Trans>
                </span>
              </span>
            </label>
          </div>
          <p>
            <Link href={`/rules?edit=new&feed=${feed.id}`} className="btn">
              <Funnel size={16} />
              <Trans>Create rule</Trans>
            </Link>
          </p>
        </div>
        <FolderCheckboxes
          membership={(folder) => membership([feed], folder)}
          onTick={(folder, on) =>
            set(
              {
                folders: foldersAfter(
                  feed,
                  new Set(on ? [folder] : []),
                  new Set(on ? [] : [folder]),
                ),
              },
              t`${name} moved`,
            )
          }
        />
      </div>
    </section>
  );
}

function TitleForm({ feed, onRename }: { feed: Feed; onRename: (title: string) => void }) {
  const { t } = useLingui();
  const id = useId();
  const [title, setTitle] = useState(feed.customTitle ?? "");
  const tidy = title.trim().replace(/\s+/g, " ");
  const isLong = [...tidy].length > maxTitle;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isLong && tidy !== (feed.customTitle ?? "")) onRename(tidy);
  };
  return (
    <form className="field" onSubmit={submit} noValidate>
      <label htmlFor={id}>
        <Trans>Custom name</Trans>
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          autoComplete="off"
          placeholder={feed.title}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          aria-invalid={isLong || undefined}
          aria-describedby={`${id}-wrong`}
        />
        <button type="submit" className="btn">
          <Trans>Rename</Trans>
        </button>
      </div>
      <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
        {isLong && t`Use at most ${maxTitle} characters.`}
      </p>
    </form>
  );
}
