import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Copy, ExternalLink } from "lucide-react";
import { useId, useRef } from "react";
import { type Site, setSite, useSite } from "@/data/account/people";
import { ownAddress } from "@/data/base";
import { folderPaths } from "@/data/folder-paths";
import { thresholds } from "@/data/routes";
import { useKnownTree } from "@/data/tree";
import { Note } from "@/ui/note";
import { Choice, Switch } from "./controls";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card } from "./parts";
import { useCopy } from "./use-copy";

type Published = NonNullable<Site["publicPages"]>;

/** What everybody may see of the popular articles; for the owner. */
export function PublicPages() {
  const { t } = useLingui();
  const client = useQueryClient();
  const site = useSite();
  const folders = folderPaths(useKnownTree().folders);
  const fresh = useFreshSignIn();
  return (
    <Card title={t`Public page`}>
      <Asked query={site}>
        {({ publicPages, bookmarkCounts }) => {
          if (!publicPages) return null;
          // A deleted folder is not sent back.
          const known = folders.filter(({ id }) => publicPages.folders.includes(id));
          const published = { ...publicPages, folders: known.map(({ id }) => id) };
          const change = (text: string, patch: Partial<Published>) =>
            void fresh.change(
              text,
              () => setSite(client, { publicPages: { ...published, ...patch } }),
              () => setSite(client, { publicPages: published }),
            );
          return (
            <>
              <Switch
                label={t`Publish popular articles`}
                hint={
                  <Trans>
                    Anyone who has the address can then see the most bookmarked articles from the
                    folders you choose, without signing in: titles, excerpts, links, dates, bookmark
                    counts and the names of the feeds. Never shown are the names of your folders,
                    what you read, muted feeds, feeds without bookmark counts, and feeds with a
                    password or key in their address or in a private network. After you change
                    something, copies may stay visible for up to 15 minutes.
                  </Trans>
                }
                value={publicPages.isOn}
                onChange={(isOn) => change(isOn ? t`Public page on` : t`Public page off`, { isOn })}
              />
              {publicPages.isOn && (
                <>
                  <fieldset className="checks">
                    <legend>
                      <Trans>Folders to publish, with the folders inside</Trans>
                    </legend>
                    <div className="max-h-60 overflow-y-auto">
                      {folders.map(({ id, label }) => (
                        <label key={id}>
                          <input
                            type="checkbox"
                            checked={published.folders.includes(id)}
                            onChange={({ target }) =>
                              change(
                                target.checked
                                  ? t`Published: ${label}`
                                  : t`No longer published: ${label}`,
                                {
                                  folders: target.checked
                                    ? [...published.folders, id]
                                    : published.folders.filter((one) => one !== id),
                                },
                              )
                            }
                          />
                          <span className="min-w-0 break-words">{label}</span>
                        </label>
                      ))}
                    </div>
                  </fieldset>
                  <Choice
                    label={t`Minimum bookmarks`}
                    value={published.threshold}
                    options={thresholds.map((value) => ({ value, label: String(value) }))}
                    onChoose={({ value, label }) =>
                      change(`${t`Minimum bookmarks`}: ${label}`, { threshold: value })
                    }
                  />
                  {known.length === 0 ? (
                    <Note kind="warn">
                      {folders.length === 0 ? (
                        <Trans>
                          There are no folders yet. Put the feeds to publish in a folder.
                        </Trans>
                      ) : (
                        <Trans>Choose a folder. Until then there is no public page.</Trans>
                      )}
                    </Note>
                  ) : (
                    <Address />
                  )}
                  {!bookmarkCounts.isOn && (
                    <Note kind="warn">
                      <Trans>Bookmark counts are off, so the page is empty.</Trans>
                    </Note>
                  )}
                </>
              )}
            </>
          );
        }}
      </Asked>
      {fresh.dialog}
    </Card>
  );
}

/** The address to share. */
function Address() {
  const copy = useCopy();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const address = `${ownAddress()}/popular`;
  return (
    <>
      <div className="field">
        <label htmlFor={id}>
          <Trans>Address to share</Trans>
        </label>
        <input ref={field} id={id} readOnly value={address} aria-describedby={`${id}-hint`} />
        <p id={`${id}-hint`} className="hint">
          <Trans>
            Add <code>/new</code> for the newest, and <code>.atom</code> or <code>.json</code> for a
            feed.
          </Trans>
        </p>
      </div>
      <div className="acts">
        <button type="button" className="btn" onClick={() => void copy(address, field.current)}>
          <Copy size={16} />
          <Trans>Copy</Trans>
        </button>
        <a className="btn" href={address} target="_blank" rel="noopener noreferrer">
          <ExternalLink size={16} />
          <Trans>Open</Trans>
        </a>
      </div>
    </>
  );
}
