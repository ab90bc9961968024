import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { adapterFor, useAdapters } from "@/data/adapters";
import { toApiError } from "@/data/api-error";
import { go } from "@/data/use-route";
import { newWatchPath } from "@/data/watch-path";
import { useWatch, type Watch } from "@/data/watches";
import { useCommands } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Page, PageSkeleton } from "@/ui/page";
import { useDelayed } from "@/ui/use-delayed";
import { AddressField } from "../address-field";
import { NoWatch } from "../no-watch";
import type { Source } from "../place";
import { AdapterSearch } from "./adapter-search";
import { Editor } from "./editor";

interface Props {
  /** Null for a new watch. */
  id: string | null;
  /** Of a new watch. */
  from: Source;
}

export function EditPage({ id, from }: Props) {
  const { t } = useLingui();
  const back = id === null ? "/watches" : `/watches/${id}`;
  useCommands({ back: () => go(back) });
  return (
    <Page
      className="watches"
      title={id === null ? t`New watch` : t`Edit watch`}
      place={id ?? `new ${JSON.stringify(from)}`}
      back={{ href: back, label: id === null ? t`Back to watches` : t`Back to the results` }}
    >
      {id !== null ? (
        <Loaded id={id} />
      ) : "url" in from && from.url === "" ? (
        <Beginning />
      ) : (
        <Editor watch={null} from={from} />
      )}
    </Page>
  );
}

function Loaded({ id }: { id: string }) {
  const query = useWatch(id);
  const isSlow = useDelayed(query.isPending);
  // What comes while the person edits does not replace what they entered.
  const first = useRef(query.data);
  first.current ??= query.data;
  if (first.current) return <Editor watch={first.current} from={sourceOf(first.current)} />;
  if (!query.isError) return isSlow && <PageSkeleton rows={5} />;
  const { status } = toApiError(query.error);
  if (status === 404) return <NoWatch />;
  return status === 401 ? null : (
    <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  );
}

function sourceOf({ url, settings: { adapter, query } }: Watch): Source {
  return adapter && query ? { adapter, query } : { url };
}

/** Asks for the address of the page, or what to search a site with an adapter for. */
function Beginning() {
  const adapters = useAdapters().data ?? [];
  const [typed, setTyped] = useState("");
  return (
    <>
      <Address onType={setTyped} />
      {adapters.length > 0 && (
        <AdapterSearch adapters={adapters} proposed={adapterFor(adapters, typed) ?? null} />
      )}
    </>
  );
}

function Address({ onType }: { onType: (typed: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const url = field.current?.value.trim() ?? "";
    setMissing(url === "");
    if (url === "") field.current?.focus();
    else go(newWatchPath(url));
  };
  return (
    <section className="card">
      <form
        onSubmit={submit}
        onChange={() => onType(field.current?.value ?? "")}
        noValidate
        className="address-form"
      >
        <AddressField ref={field} isMissing={isMissing} />
        <p className="hint">
          <Trans>
            The address of a page that lists things, such as the results of a search in a shop.
          </Trans>
        </p>
        <div className="buttons">
          <button type="submit" className="btn btn-main">
            <Trans>Preview</Trans>
          </button>
        </div>
      </form>
    </section>
  );
}
