import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useRef, useState } from "react";
import { Dialog } from "@/ui/dialog";
import { templateFault } from "./share";
import { type ShareTarget, setShareTarget } from "./share-target";

interface Props {
  target: ShareTarget | null;
  onClose: () => void;
}

// As values: a message would take them for placeholders of its own.
const urlPlace = "{url}";
const titlePlace = "{title}";

/** Edits the address of "send to": a read-later service, a wiki, a note app. */
export function ShareTargetDialog({ target, onClose }: Props) {
  const { t } = useLingui();
  const [name, setName] = useState(target?.name ?? "");
  const [template, setTemplate] = useState(target?.template ?? "");
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
    setShareTarget({ name: name.trim(), template: template.trim() });
    onClose();
  };
  return (
    <Dialog title={t`Custom share target`} onClose={onClose}>
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
          {fault === "address" && <Trans>Enter an address that starts with https://.</Trans>}
          {fault === "script" && <Trans>This kind of address is not supported.</Trans>}
          {fault === "place" && (
            <Trans>
              Include <code>{urlPlace}</code> where the article's link goes.
            </Trans>
          )}
          {fault === null && (
            <Trans>
              <code>{urlPlace}</code> is replaced by the article's link, <code>{titlePlace}</code>{" "}
              by its title. Saved on this device only.
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
          {target && (
            <button
              type="button"
              className="btn me-auto"
              onClick={() => {
                setShareTarget(null);
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
