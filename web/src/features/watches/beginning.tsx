import { Trans, useLingui } from "@lingui/react/macro";
import { Tags } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { go } from "@/data/use-route";
import { newWatchPath } from "@/data/watch-path";
import { Link } from "@/ui/link";
import { AddressField } from "./address-field";

/** What a watch is, for a person without one. demoUrl is a shop for trying watches without a site of somebody else. */
export function Beginning({ demoUrl }: { demoUrl: string | null }) {
  const { t } = useLingui();
  const field = useRef<HTMLInputElement>(null);
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const url = field.current?.value.trim() ?? "";
    setMissing(url === "");
    if (url === "") field.current?.focus();
    else go(newWatchPath(url));
  };
  return (
    <section className="card beginning" aria-label={t`What a watch is`}>
      <div className="state">
        <Tags />
        <p className="title">
          <Trans>Follow pages that have no feed</Trans>
        </p>
        <p>
          <Trans>
            A watch reads a page that lists things: search results of a shop, classified ads, a
            town’s notices. New entries, price drops and sales appear in your articles, and prices
            are kept over time.
          </Trans>
        </p>
      </div>
      <form onSubmit={submit} noValidate>
        <AddressField ref={field} isMissing={isMissing} />
        <div className="buttons">
          {demoUrl && (
            <Link className="btn" href={newWatchPath(demoUrl)}>
              <Trans>Try the demo shop</Trans>
            </Link>
          )}
          <button type="submit" className="btn btn-main">
            <Trans>Preview</Trans>
          </button>
        </div>
      </form>
    </section>
  );
}
