import { Trans, useLingui } from "@lingui/react/macro";
import { Funnel } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { feedTitle } from "@/data/feeds";
import type { Settings } from "@/data/subscriptions";
import type { Feed } from "@/data/types";
import { Link } from "@/ui/link";
import { foldersAfter, held } from "./folder-choice";
import { FolderTicks } from "./folder-ticks";
import { intervalName, intervals } from "./intervals";
import type { Deeds } from "./use-deeds";

const maxTitle = 200;

/** What a person has set for a feed. Each change holds at once and can be taken back. */
export function SettingsCard({ feed, deeds }: { feed: Feed; deeds: Deeds }) {
  const { t, i18n } = useLingui();
  const id = useId();
  const name = feedTitle(feed);
  const set = (settings: Settings, said: string) => void deeds.change([feed], () => settings, said);
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
              set({ title }, title === "" ? t`It has its own name again.` : t`Renamed to ${title}.`)
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
                  t`The interval of ${name} was changed.`,
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
              <input {...toggle("isMuted", t`${name} is muted.`, t`${name} is heard again.`)} />
              <span>
                <Trans>Mute</Trans>
                <span className="hint">
                  <Trans>Its items are not among all items, nor in the counts.</Trans>
                </span>
              </span>
            </label>
            <label className="check">
              <input
                {...toggle(
                  "fullText",
                  t`${name} is read with full texts.`,
                  t`${name} is read as its feed gives it.`,
                )}
              />
              <span>
                <Trans>Full text</Trans>
                <span className="hint">
                  <Trans>Items open with the text of the page that they link to.</Trans>
                </span>
              </span>
            </label>
            <label className="check">
              <input
                {...toggle(
                  "notify",
                  t`“Notify webhooks” is on for ${name}.`,
                  t`“Notify webhooks” is off for ${name}.`,
                )}
              />
              <span>
                <Trans>Notify webhooks</Trans>
                <span className="hint">
                  <Trans>New items also go to webhooks that are limited to chosen feeds.</Trans>
                </span>
              </span>
            </label>
          </div>
          <p>
            <Link href={`/rules?edit=new&feed=${feed.id}`} className="btn">
              <Funnel size={16} aria-hidden="true" />
              <Trans>Make a rule for it</Trans>
            </Link>
          </p>
        </div>
        <FolderTicks
          held={(folder) => held([feed], folder)}
          onTick={(folder, on) =>
            set(
              {
                folders: foldersAfter(
                  feed,
                  new Set(on ? [folder] : []),
                  new Set(on ? [] : [folder]),
                ),
              },
              t`${name} was moved.`,
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
        <Trans>Your name for it</Trans>
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
        {isLong && t`A name has at most ${maxTitle} characters.`}
      </p>
    </form>
  );
}
