import { useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useId } from "react";
import { IconButton } from "@/ui/icon-button";
import type { DraftCondition } from "./draft";
import { fieldName, fields, modeName, modes } from "./rule-text";

interface Props {
  number: number;
  condition: DraftCondition;
  wrong: string | undefined;
  onChange: (part: Partial<DraftCondition>) => void;
  /** Null for the last one: a rule has at least one condition. */
  onRemove: (() => void) | null;
}

export function ConditionRow({ number, condition, wrong, onChange, onRemove }: Props) {
  const { t, i18n } = useLingui();
  const id = useId();
  const isPattern = condition.mode === "regexp";
  const isSearch = condition.mode === "search";
  const hint =
    condition.mode === "regexp"
      ? t`RE2 syntax. Start with (?i) to ignore case.`
      : condition.mode === "phrase"
        ? t`Exact phrase; not case-sensitive`
        : condition.mode === "search"
          ? t`As in the search box, without is:, after: and before:`
          : t`Comma-separated; not case-sensitive`;
  return (
    <li>
      <div className="line">
        <select
          className="select"
          aria-label={t`Condition ${number}: field`}
          value={isSearch ? "anywhere" : condition.field}
          disabled={isSearch}
          onChange={(event) => onChange({ field: event.target.value as DraftCondition["field"] })}
        >
          {fields.map((field) => (
            <option key={field} value={field}>
              {fieldName(field, i18n)}
            </option>
          ))}
        </select>
        <select
          className="select"
          aria-label={t`Condition ${number}: contains or not`}
          value={condition.isNegated ? "without" : "with"}
          onChange={(event) => onChange({ isNegated: event.target.value === "without" })}
        >
          <option value="with">{t`contains`}</option>
          <option value="without">{t`does not contain`}</option>
        </select>
        <select
          className="select"
          aria-label={t`Condition ${number}: match`}
          value={condition.mode}
          onChange={(event) => onChange({ mode: event.target.value as DraftCondition["mode"] })}
        >
          {modes.map((mode) => (
            <option key={mode} value={mode}>
              {modeName(mode, i18n)}
            </option>
          ))}
        </select>
        {onRemove && (
          <IconButton label={t`Remove condition ${number}`} icon={<X />} onClick={onRemove} />
        )}
      </div>
      <div className="field">
        <input
          aria-label={
            isPattern ? t`Condition ${number}: regular expression` : t`Condition ${number}: text`
          }
          autoComplete="off"
          spellCheck={false}
          className={isPattern ? "font-mono" : undefined}
          maxLength={isPattern ? 500 : isSearch ? 256 : 2000}
          value={condition.text}
          onChange={(event) => onChange({ text: event.target.value })}
          aria-invalid={wrong !== undefined || undefined}
          aria-describedby={`${id}-wrong ${id}-hint`}
        />
        {isSearch && (
          <label className="check">
            <input
              type="checkbox"
              checked={condition.kana === "fold"}
              onChange={(event) => onChange({ kana: event.target.checked ? "fold" : "exact" })}
            />
            {t`Treat hiragana and katakana as the same`}
          </label>
        )}
        <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
          {wrong}
        </p>
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      </div>
    </li>
  );
}
