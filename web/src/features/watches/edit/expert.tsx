import { Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { Layout } from "@/data/watches";
import { fieldTitles } from "./field-name";
import { assign, fieldNames, placeIn, placeText, readLayout } from "./fields";

interface Props {
  layout: Layout | null;
  onChange: (layout: Layout) => void;
  /** Begins with selectors of one's own. */
  onBegin: () => void;
}

/** Selectors of rows and fields, and the whole layout as JSON. */
export function Expert({ layout, onChange, onBegin }: Props) {
  const { t, i18n } = useLingui();
  return (
    <details className="expert">
      <summary>
        <Trans>Expert mode: selectors and JSON</Trans>
      </summary>
      {layout === null ? (
        <button type="button" className="btn" onClick={onBegin}>
          <Trans>Write selectors</Trans>
        </button>
      ) : (
        // Anew when the layout changes elsewhere: the fields hold what was typed until then.
        <div key={JSON.stringify(layout)} className="pairs">
          <Line
            label={t`Rows`}
            value={typeof layout.rows === "string" ? layout.rows : JSON.stringify(layout.rows)}
            onChange={(text) => {
              const rows = placeIn(text);
              if (rows === undefined) return false;
              onChange({ ...layout, rows: (rows ?? "") as Layout["rows"] });
              return true;
            }}
          />
          {fieldNames.map((name) => (
            <Line
              key={name}
              label={i18n._(fieldTitles[name])}
              value={placeText(layout.fields?.[name])}
              onChange={(text) => {
                const place = placeIn(text);
                if (place === undefined) return false;
                onChange(assign(layout, name, place));
                return true;
              }}
            />
          ))}
          <Json layout={layout} onChange={onChange} />
        </div>
      )}
    </details>
  );
}

interface LineProps {
  label: string;
  value: string;
  /** False if it cannot be read. */
  onChange: (text: string) => boolean;
}

/** A selector; it counts when the person leaves the field or presses Enter. */
function Line({ label, value, onChange }: LineProps) {
  const id = useId();
  const [isWrong, setWrong] = useState(false);
  const apply = (text: string) => setWrong(text !== value && !onChange(text));
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="code"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={500}
        defaultValue={value}
        aria-invalid={isWrong || undefined}
        onBlur={(event) => apply(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          apply(event.currentTarget.value);
        }}
      />
    </div>
  );
}

function Json({ layout, onChange }: { layout: Layout; onChange: (layout: Layout) => void }) {
  const { t } = useLingui();
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(layout, null, 2));
  const [wrong, setWrong] = useState("");
  const apply = () => {
    const read = readLayout(text);
    if ("wrong" in read)
      setWrong(read.wrong === "json" ? t`This is not valid JSON.` : t`“rows” is missing.`);
    else onChange(read);
  };
  return (
    <div className="field json">
      <label htmlFor={id}>
        <Trans>Layout as JSON</Trans>
      </label>
      <textarea
        id={id}
        className="code"
        rows={10}
        spellCheck={false}
        maxLength={16_000}
        value={text}
        aria-invalid={wrong !== "" || undefined}
        aria-describedby={`${id}-wrong`}
        onChange={(event) => setText(event.target.value)}
      />
      <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
        {wrong}
      </p>
      <button type="button" className="btn mt-2" onClick={apply}>
        <Trans>Apply</Trans>
      </button>
    </div>
  );
}
