import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useRef, useState } from "react";
import { Dialog } from "@/ui/dialog";
import { keepOwnPlace, type OwnPlace } from "./own-place";
import { templateFault } from "./share";

interface Props {
  place: OwnPlace | null;
  onClose: () => void;
}

/** Where "send to" goes: a read-later service, a wiki, a note app. */
export function OwnPlaceDialog({ place, onClose }: Props) {
  const { t } = useLingui();
  const [name, setName] = useState(place?.name ?? "");
  const [template, setTemplate] = useState(place?.template ?? "");
  const [fault, setFault] = useState<ReturnType<typeof templateFault>>(null);
  const field = useRef<HTMLInputElement>(null);
  const hint = useId();

  const send = (event: FormEvent) => {
    event.preventDefault();
    const found = templateFault(template.trim());
    setFault(found);
    if (found) {
      field.current?.focus();
      return;
    }
    keepOwnPlace({ name: name.trim(), template: template.trim() });
    onClose();
  };
  return (
    <Dialog title={t`A place of your own`} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={send} noValidate>
        <label className="field">
          <span>
            <Trans>Address</Trans>
          </span>
          <input
            ref={field}
            data-first
            type="url"
            value={template}
            placeholder="https://example.org/add?u={url}&t={title}"
            aria-invalid={fault !== null}
            aria-describedby={hint}
            onChange={(event) => {
              setTemplate(event.target.value);
              setFault(null);
            }}
          />
        </label>
        <p
          id={hint}
          className={fault ? "text-err" : "text-ink2"}
          role={fault ? "alert" : undefined}
        >
          {fault === "address" && <Trans>This is not an address. Begin with https://.</Trans>}
          {fault === "script" && <Trans>An address of this kind is not opened from here.</Trans>}
          {fault === "place" && (
            <Trans>
              Write <code>{"{url}"}</code> where the link of the item belongs.
            </Trans>
          )}
          {fault === null && (
            <Trans>
              <code>{"{url}"}</code> becomes the item's link, <code>{"{title}"}</code> its title.
              This device keeps the address.
            </Trans>
          )}
        </p>
        <label className="field">
          <span>
            <Trans>Name (optional)</Trans>
          </span>
          <input value={name} maxLength={40} onChange={(event) => setName(event.target.value)} />
        </label>
        <div className="flex justify-end gap-2">
          {place && (
            <button
              type="button"
              className="btn me-auto"
              onClick={() => {
                keepOwnPlace(null);
                onClose();
              }}
            >
              <Trans>Remove</Trans>
            </button>
          )}
          <button type="button" className="btn" onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-main">
            <Trans>Save</Trans>
          </button>
        </div>
      </form>
    </Dialog>
  );
}
