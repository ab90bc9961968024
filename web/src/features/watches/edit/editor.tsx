import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { go } from "@/data/use-route";
import { newWatchPath } from "@/data/watch-path";
import { addWatch, changeWatch, deleteWatch, type Watch } from "@/data/watches";
import { fieldTexts } from "@/i18n/problem-text";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";
import type { Source } from "../place";
import { Candidates } from "./candidates";
import {
  currencyOf,
  type Draft,
  draftOf,
  filterOf,
  newDraft,
  settingsOf,
  wrongFields,
} from "./draft";
import { Expert } from "./expert";
import { Fetching } from "./fetching";
import { FilterForm } from "./filter-form";
import { PreviewTable } from "./preview-table";
import { RowParts } from "./row-parts";
import { SiteCard } from "./site-card";
import { usePreview } from "./use-preview";

interface Props {
  /** Null: a new one is made. */
  watch: Watch | null;
  from: Source;
}

/** From a page to a watch: which rows, which fields, what of it, and how often. */
export function Editor({ watch, from }: Props) {
  const { t } = useLingui();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState<Draft>(() => (watch ? draftOf(watch) : newDraft));
  const [currency, setCurrency] = useState(watch?.lowest?.currency ?? "");
  const preview = usePreview(
    { ...filterOf(draft, currency), ...(draft.details ? { details: true } : {}) },
    draft.interval,
  );
  const { page, found, look } = preview;
  const [isChecked, setChecked] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [refused, setRefused] = useState<ApiError | null>(null);

  const begin = async (isAnew: boolean) => {
    const { layout, adapter } = watch?.settings ?? {};
    // The layout of an adapter is proposed as the adapter's.
    const isOwn = layout !== undefined && !adapter && !isAnew;
    const answer = await look({ ...from, ...(isOwn ? { layout } : {}) });
    if (answer && watch === null)
      setDraft((now) => (now.name === "" ? { ...now, name: answer.title.slice(0, 200) } : now));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page is fetched once
  useEffect(() => void begin(false), []);
  const hasNoDetails = page?.canReadDetails === false;
  useEffect(() => {
    if (hasNoDetails) setDraft((now) => ({ ...now, details: false }));
  }, [hasNoDetails]);
  const said = currencyOf(found);
  useEffect(() => {
    if (said !== "") setCurrency(said);
  }, [said]);

  const wrong = wrongFields(draft, currency);
  const isNameMissing = draft.name.trim() === "";
  const address = page?.url ?? "";
  const isAccepted = page !== null && draft.acceptedHost === page.host.host;
  // Without a copy of the page nothing can be tried, nor watched.
  const canTry = page !== null && page.previewId !== null;
  const canSave = found !== null && found.rowsFound > 0;

  const save = async () => {
    if (!found) return;
    setSaving(true);
    setRefused(null);
    const settings = settingsOf(draft, {
      url: watch?.settings.url ?? address,
      candidate: found,
      currency,
      query: "query" in from ? from.query : null,
      old: watch?.settings ?? null,
    });
    try {
      if (watch) {
        const body = { settings, interval: draft.interval, accepted: true };
        await changeWatch(client, watch.id, body);
        go(`/watches/${watch.id}`);
        showToast(t`Changes saved`);
      } else {
        const { interval, folders } = draft;
        const made = await addWatch(client, {
          settings,
          interval,
          folderIds: [...folders],
          accepted: true,
        });
        go(`/watches/${made.id}`);
        offerUndo(t`Watching ${made.name}`, () =>
          deleteWatch(client, made.id).then(() => go("/watches")),
        );
      }
    } catch (cause) {
      setRefused(toApiError(cause));
      setSaving(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    setChecked(true);
    if (canSave && wrong.size === 0 && !isNameMissing && isAccepted) void save();
    // What is wrong is marked first.
    else
      requestAnimationFrame(() =>
        form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(),
      );
  };

  if (!page) {
    return (
      <section className="card">
        {preview.isLooking && <Fetching url={"url" in from ? from.url : from.adapter} />}
        {preview.error && (
          <>
            <ErrorNote error={preview.error} onRetry={() => void begin(false)} />
            <p className="mt-3">
              <Link className="btn" href={watch ? `/watches/${watch.id}` : newWatchPath("")}>
                {watch ? <Trans>Cancel</Trans> : <Trans>Enter another address</Trans>}
              </Link>
            </p>
          </>
        )}
      </section>
    );
  }
  return (
    <form ref={form} className="editor" onSubmit={submit} noValidate>
      <section className="card" aria-labelledby="rows">
        <h2 id="rows">
          <Trans>Choose the list</Trans>
          <a className="count" href={page.url} target="_blank" rel="noopener noreferrer">
            {page.title || page.url}
          </a>
        </h2>
        {page.problem && (
          <Note kind="warn" live>
            <strong>{page.problem.message}</strong> {page.problem.help}
          </Note>
        )}
        {page.warnings.map((one) => (
          <Note key={one.code} kind="warn">
            {one.message}
          </Note>
        ))}
        <Candidates
          list={page.candidates}
          chosen={preview.chosen}
          onChoose={preview.choose}
          canFindAnew={watch !== null}
          onFindAnew={() => void begin(true)}
          isLooking={preview.isLooking}
        />
        {found && found.rows.length > 0 && (
          <RowParts
            key={JSON.stringify(preview.chosen?.layout.rows)}
            parts={preview.parts}
            count={found.rows.length}
            layout={found.layout}
            onAssign={preview.setLayout}
          />
        )}
        {canTry && (
          <Expert
            layout={found?.layout ?? null}
            onChange={preview.setLayout}
            onBegin={() => preview.choose(null)}
          />
        )}
        {preview.error && (
          <Refusal
            error={preview.error}
            {...(preview.error.code === "preview_expired"
              ? { onRetry: () => void begin(false) }
              : {})}
          />
        )}
      </section>
      {found && (
        <>
          <PreviewTable found={found} isBusy={preview.isTrying} />
          <FilterForm
            draft={draft}
            currency={currency}
            wrong={wrong}
            isNameMissing={isChecked && isNameMissing}
            watch={watch}
            found={found}
            canReadDetails={page.canReadDetails}
            onChange={setDraft}
            onLayout={preview.setLayout}
          />
        </>
      )}
      <SiteCard
        page={page}
        canAccept={canTry}
        isAccepted={isAccepted}
        isMissing={isChecked && !isAccepted}
        onAccept={(isOn) => setDraft({ ...draft, acceptedHost: isOn ? page.host.host : "" })}
      />
      {refused && <Refusal error={refused} />}
      <div className="ends">
        {isChecked && !canSave && (
          <p className="wrong" role="alert">
            <Trans>Choose rows first: nothing would be found.</Trans>
          </p>
        )}
        {!canTry && watch === null && (
          <Link className="btn" href={newWatchPath("")}>
            <Trans>Enter another address</Trans>
          </Link>
        )}
        <Link className="btn" href={watch ? `/watches/${watch.id}` : "/watches"}>
          <Trans>Cancel</Trans>
        </Link>
        {canTry && (
          <button type="submit" className="btn btn-main" aria-disabled={isSaving}>
            {isSaving && <LoaderCircle className="spin" size={16} />}
            {watch ? <Trans>Save</Trans> : <Trans>Watch this page</Trans>}
          </button>
        )}
      </div>
    </form>
  );
}

/** An error, and which fields the server means. */
function Refusal({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  const fields = [...fieldTexts(error).entries()];
  return (
    <>
      <ErrorNote error={error} {...(onRetry ? { onRetry } : {})} />
      {fields.map(([field, text]) => (
        <p key={field} className="wrong">
          <code>{field}</code>: {text}
        </p>
      ))}
    </>
  );
}
