import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useRef, useState } from "react";
import { useRemoved } from "@/data/account/removals";
import { addShare, type Share, sharePath, useShares } from "@/data/account/shares";
import { useSearches } from "@/data/searches";
import { useKnownTree } from "@/data/tree";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { Note } from "@/ui/note";
import { useForm } from "@/ui/use-form";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card, Listed, RowButton } from "./parts";
import { useCopy } from "./use-copy";
import { useRemove } from "./use-remove";

/** Lists that are shared as feeds, each until it is revoked. */
export function Shares() {
  const { t, i18n } = useLingui();
  const shares = useShares();
  const removed = useRemoved();
  const remove = useRemove();
  const now = useNow();
  const kinds = useKinds();
  return (
    <>
      <Card
        title={t`Shared lists`}
        hint={t`Whoever has the address of a list can read it in a feed reader. Nothing in it is about you.`}
      >
        <Asked query={shares}>
          {(all) => {
            const list = all.filter((one) => !removed.has(sharePath(one.id)));
            return list.length === 0 ? (
              <p className="hint">
                <Trans>No shared lists yet. Share one below.</Trans>
              </p>
            ) : (
              <ul>
                {list.map(({ id, of, title, createdAt }) => {
                  const since = createdAt ? relativeTime(createdAt, now, i18n.locale) : "";
                  return (
                    <Listed key={id} name={title} facts={[kinds(of), t`created ${since}`]}>
                      <RowButton
                        label={t`Revoke`}
                        of={title}
                        onPress={(button) =>
                          remove(sharePath(id), t`“${title}” is no longer shared`, button)
                        }
                      />
                    </Listed>
                  );
                })}
              </ul>
            );
          }}
        </Asked>
      </Card>
      <NewShare />
    </>
  );
}

/** The lists that can be shared, by kind. */
function useLists() {
  const { t } = useLingui();
  const { folders, labels } = useKnownTree();
  const searches = useSearches();
  return [
    { kind: t`Labels`, of: "label", list: labels },
    { kind: t`Folders`, of: "folder", list: folders },
    { kind: t`Saved searches`, of: "search", list: searches },
  ];
}

function useKinds() {
  const { t } = useLingui();
  const lists = useLists();
  return (of: string) => {
    if (of === "starred") return t`Starred`;
    const [kind, id] = of.split(":");
    const found = lists.find((one) => one.of === kind);
    const name = found?.list.find((one) => one.id === id)?.name;
    return found && [found.kind, name ?? t`deleted`].join(": ");
  };
}

function NewShare() {
  const { t } = useLingui();
  const client = useQueryClient();
  const lists = useLists();
  const [made, setMade] = useState<Share | null>(null);
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm(async (data) => {
    const of = String(data.get("of"));
    const title = String(data.get("title")).trim();
    await fresh.run(async () => setMade(await addShare(client, of, title)));
  });
  if (made) {
    return (
      <Card title={t`New shared list`}>
        <Note kind="warn" live>
          <Trans>Copy it now. It will not be shown again.</Trans>
        </Note>
        <Address label="Atom" value={made.atomUrl ?? ""} />
        <Address label="JSON Feed" value={made.jsonUrl ?? ""} />
        <div className="acts">
          <button type="button" className="btn" onClick={() => setMade(null)}>
            <Trans>Done</Trans>
          </button>
        </div>
      </Card>
    );
  }
  return (
    <Card title={t`New shared list`}>
      <form onSubmit={onSubmit}>
        <div className="field">
          <label htmlFor="share-of">
            <Trans>List</Trans>
          </label>
          <select id="share-of" name="of" className="select">
            <option value="starred">{t`Starred`}</option>
            {lists
              .filter(({ list }) => list.length > 0)
              .map(({ kind, of, list }) => (
                <optgroup key={of} label={kind}>
                  {list.map(({ id, name }) => (
                    <option key={id} value={`${of}:${id}`}>
                      {name}
                    </option>
                  ))}
                </optgroup>
              ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="share-title">
            <Trans>Title (optional)</Trans>
          </label>
          <input id="share-title" name="title" maxLength={100} autoComplete="off" />
        </div>
        {error && <ErrorNote error={error} />}
        <div className="acts">
          <button type="submit" className="btn btn-main" aria-disabled={busy}>
            <Trans>Share list</Trans>
          </button>
        </div>
      </form>
      {fresh.dialog}
    </Card>
  );
}

function Address({ label, value }: { label: string; value: string }) {
  const copy = useCopy();
  const { t } = useLingui();
  const field = useRef<HTMLInputElement>(null);
  const id = `share-${label}`;
  return (
    <div className="line">
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <input ref={field} id={id} readOnly value={value} spellCheck={false} />
      </div>
      <button
        type="button"
        className="btn"
        aria-label={`${t`Copy`}: ${label}`}
        onClick={() => void copy(value, field.current)}
      >
        <Copy size={16} />
        <Trans>Copy</Trans>
      </button>
    </div>
  );
}
