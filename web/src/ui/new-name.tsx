import { Trans, useLingui } from "@lingui/react/macro";
import { Plus } from "lucide-react";
import { useId, useRef, useState } from "react";
import { problemText } from "@/i18n/problem-text";

interface Props {
  label: string;
  /** Creates an entry with this name; a rejection is shown below the field. */
  create: (name: string) => Promise<void>;
}

/** A field inside a form that creates something by its name, without sending the form. */
export function NewName({ label, create }: Props) {
  const { t, i18n } = useLingui();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState("");

  const add = async () => {
    const name = field.current?.value.trim() ?? "";
    if (name === "") setWrong(t`Enter a name.`);
    else {
      try {
        await create(name);
        setWrong("");
        if (field.current) field.current.value = "";
      } catch (cause) {
        setWrong(problemText(cause, i18n));
      }
    }
    field.current?.focus();
  };

  return (
    <div className="field mt-2 max-w-[420px]">
      <label htmlFor={id}>{label}</label>
      <div className="flex gap-2">
        <input
          ref={field}
          id={id}
          maxLength={120}
          autoComplete="off"
          aria-invalid={wrong !== "" || undefined}
          aria-describedby={`${id}-wrong`}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void add();
          }}
        />
        <button type="button" className="btn" onClick={() => void add()}>
          <Plus size={16} />
          <Trans>Create</Trans>
        </button>
      </div>
      <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
        {wrong}
      </p>
    </div>
  );
}
