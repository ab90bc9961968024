import { Trans } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { newWatchPath } from "@/data/watch-path";
import type { Watch } from "@/data/watches";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import type { Source } from "../place";
import {
  currencyOf,
  type Draft,
  draftOf,
  filterOf,
  newDraft,
  settingsOf,
  wrongFields,
} from "./draft";
import { Fetching } from "./fetching";
import { FilterForm } from "./filter-form";
import { ListCard } from "./list-card";
import { PreviewTable } from "./preview-table";
import { Refusal } from "./refusal";
import { SiteCard } from "./site-card";
import { usePreview } from "./use-preview";
import { useSave } from "./use-save";

interface Props {
  /** Null: a new one is made. */
  watch: Watch | null;
  from: Source;
}

/** From a page to a watch: which rows, which fields, what of it, and how often. */
export function Editor({ watch, from }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState<Draft>(() => (watch ? draftOf(watch) : newDraft));
  const [currency, setCurrency] = useState(watch?.lowest?.currency ?? "");
  const preview = usePreview(
    { ...filterOf(draft, currency), ...(draft.details ? { details: true } : {}) },
    draft.interval,
  );
  const { page, found, look } = preview;
  const [isChecked, setChecked] = useState(false);
  const { isSaving, refused, save } = useSave(watch);

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

  const saveFound = () =>
    found &&
    save(
      settingsOf(draft, {
        url: watch?.settings.url ?? address,
        candidate: found,
        currency,
        query: "query" in from ? from.query : null,
        old: watch?.settings ?? null,
      }),
      draft,
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    setChecked(true);
    if (canSave && wrong.size === 0 && !isNameMissing && isAccepted) void saveFound();
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
      <ListCard
        page={page}
        preview={preview}
        canFindAnew={watch !== null}
        onBegin={(isAnew) => void begin(isAnew)}
      />
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
