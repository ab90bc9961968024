import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useState } from "react";
import { problemText } from "@/i18n/problem-text";
import { Dialog } from "@/ui/dialog";

interface Props {
  title: string;
  /** The current name. */
  name: string;
  maxLength: number;
  /** Shown below the field. */
  hint?: string;
  canBeEmpty?: boolean;
  button: string;
  onSave: (name: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for a name; a refusal is shown at the field. */
export function NameDialog(props: Props) {
  const { title, name, maxLength, hint, canBeEmpty = false, button, onSave, onClose } = props;
  const { t, i18n } = useLingui();
  const id = useId();
  const [wrong, setWrong] = useState("");
  const [isBusy, setBusy] = useState(false);

  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem("name") as HTMLInputElement;
    const wanted = field.value.trim();
    if (wanted === "" && !canBeEmpty) {
      setWrong(t`Enter a name.`);
      field.focus();
      return;
    }
    setBusy(true);
    try {
      await onSave(wanted);
      onClose();
    } catch (cause) {
      setWrong(problemText(cause, i18n));
      setBusy(false);
      field.focus();
    }
  };

  return (
    <Dialog title={title} onClose={onClose}>
      <form className="side-form" onSubmit={(event) => void save(event)} noValidate>
        <div className="field">
          <label htmlFor={id}>
            <Trans>Name</Trans>
          </label>
          <input
            id={id}
            name="name"
            data-first=""
            defaultValue={name}
            maxLength={maxLength}
            autoComplete="off"
            aria-invalid={wrong !== "" || undefined}
            aria-describedby={`${id}-hint ${id}-wrong`}
            onFocus={(event) => event.target.select()}
          />
        </div>
        <p id={`${id}-hint`} className="hint empty:hidden">
          {hint}
        </p>
        <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
          {wrong}
        </p>
        <div className="buttons">
          <button type="button" className="btn" onClick={onClose}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-main" aria-disabled={isBusy}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
