import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import type { Webhook, WebhookConfig, WebhookEvent } from "@/data/account/webhooks";
import { useMe } from "@/data/me";
import { useSearches } from "@/data/searches";
import { ErrorNote } from "@/ui/error-note";
import { useForm } from "@/ui/use-form";
import { services } from "@/ui/webhook-name";
import { Choice } from "./controls";

interface Props {
  id: string;
  /** The current configuration; absent for a new webhook. */
  hook?: Webhook;
  submit: string;
  onSave: (config: WebhookConfig) => Promise<void>;
  /** Before the button. */
  children?: ReactNode;
}

/** What an address of each format looks like; {key} stands for the key. */
const addresses: Record<Webhook["format"], string> = {
  ruri: "https://",
  ntfy: "https://ntfy.sh/…",
  gotify: "https://",
  telegram: "https://api.telegram.org/bot{key}/sendMessage?chat_id=…",
  slack: "https://hooks.slack.com/services/{key}",
  discord: "https://discord.com/api/webhooks/{key}",
  readwise: "https://readwise.io",
  linkding: "https://",
  raindrop: "https://api.raindrop.io",
  instapaper: "https://www.instapaper.com",
  wallabag: "https://",
  own: "https://",
};

const headerLines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** A line without a colon is a name without a value, which the server refuses with a reason. */
function headersOf(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.trim(), value.join(":").trim()];
    }),
  );
}

/** What events are called. */
export function useEventNames(): Record<WebhookEvent, string> {
  const { t } = useLingui();
  return {
    new: t`New articles`,
    starred: t`Starred articles`,
    "feed.stopped": t`A feed stops`,
    "watch.problem": t`A watch has a problem`,
    "server.problem": t`A backup fails`,
    "budget.reached": t`The monthly cost limit is near`,
    sent: t`Articles that you send`,
  };
}

/** Those that a person can choose, in their order. */
const eventsOf = (isOwner: boolean): readonly WebhookEvent[] => [
  ...(["new", "starred", "feed.stopped", "watch.problem"] as const),
  ...(isOwner ? (["server.problem", "budget.reached"] as const) : []),
  "sent",
];

/** The address, the format and the events of a webhook. */
export function WebhookForm({ id, hook, submit, onSave, children }: Props) {
  const { t } = useLingui();
  const [events, setEvents] = useState<readonly WebhookEvent[]>(hook?.events ?? ["new"]);
  const [feeds, setFeeds] = useState<Webhook["feeds"]>(hook?.feeds ?? "all");
  const [searchId, setSearchId] = useState<Webhook["searchId"]>(hook?.searchId ?? null);
  const [format, setFormat] = useState<Webhook["format"]>(hook?.format ?? "ruri");
  const searches = useSearches();
  const isOwner = useMe().data?.user.isOwner === true;
  const names = useEventNames();
  const offered = eventsOf(isOwner);
  const isGone = searchId !== null && !searches.some((one) => one.id === searchId);
  const { busy, error, onSubmit } = useForm((data) =>
    onSave({
      ...{ events: [...events], feeds, searchId, format },
      url: String(data.get("url")).trim(),
      key: String(data.get("key") ?? "").trim(),
      template: String(data.get("template") ?? ""),
      headers: headersOf(String(data.get("headers") ?? "")),
    }),
  );
  return (
    <form onSubmit={onSubmit} className={hook && "flex flex-col gap-4"}>
      <div className="field">
        <label htmlFor={`${id}-url`}>
          <Trans>URL</Trans>
        </label>
        <input
          data-first
          id={`${id}-url`}
          name="url"
          type="url"
          required
          maxLength={2000}
          defaultValue={hook?.url}
          placeholder={addresses[format]}
          autoComplete="off"
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-format`}>
          <Trans>Format</Trans>
        </label>
        <select
          id={`${id}-format`}
          className="select"
          value={format}
          onChange={({ target }) => setFormat(target.value as Webhook["format"])}
        >
          <option value="ruri">{t`Signed JSON`}</option>
          {Object.entries(services).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          <option value="own">{t`Your own template`}</option>
        </select>
      </div>
      {format !== "ruri" && (
        <div className="field">
          <label htmlFor={`${id}-key`}>
            <Trans>Name of the key in the owner's settings</Trans>
          </label>
          <input
            id={`${id}-key`}
            name="key"
            maxLength={100}
            defaultValue={hook?.key ?? ""}
            autoComplete="off"
          />
        </div>
      )}
      {format === "own" && (
        <div className="field">
          <label htmlFor={`${id}-template`}>
            <Trans>Template</Trans>
          </label>
          <textarea
            id={`${id}-template`}
            name="template"
            required
            maxLength={4096}
            rows={4}
            defaultValue={hook?.template ?? '{"title": "{title}", "url": "{url}"}'}
          />
        </div>
      )}
      {format === "own" && (
        <div className="field">
          <label htmlFor={`${id}-headers`}>
            <Trans>Headers, one in each line (at most 3)</Trans>
          </label>
          <textarea
            id={`${id}-headers`}
            name="headers"
            rows={3}
            placeholder="Authorization: Bearer {key}"
            defaultValue={headerLines(hook?.headers ?? {})}
          />
        </div>
      )}
      <fieldset className="checks">
        <legend>
          <Trans>Events</Trans>
        </legend>
        {offered.map((event) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={({ target }) =>
                setEvents(
                  target.checked ? [...events, event] : events.filter((one) => one !== event),
                )
              }
            />
            {names[event]}
          </label>
        ))}
      </fieldset>
      {events.includes("new") && (
        <Choice<Webhook["feeds"]>
          label={t`New articles from`}
          value={feeds}
          options={[
            { value: "all", label: t`All feeds` },
            { value: "notify", label: t`Feeds with “Notify my devices” on` },
          ]}
          onChoose={({ value }) => setFeeds(value)}
        />
      )}
      {(searches.length > 0 || isGone) && (
        <div className="field">
          <label htmlFor={`${id}-search`}>
            <Trans>Only matches of a saved search</Trans>
          </label>
          <select
            id={`${id}-search`}
            className="select"
            value={searchId ?? ""}
            onChange={({ target }) => setSearchId(target.value || null)}
          >
            <option value="">{t`All articles`}</option>
            {isGone && <option value={searchId}>{t`Deleted search`}</option>}
            {searches.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
      )}
      {error && <ErrorNote error={error} />}
      <div className={hook ? "acts justify-end" : "acts"}>
        {children}
        <button type="submit" className="btn btn-main" aria-disabled={busy}>
          {submit}
        </button>
      </div>
    </form>
  );
}
