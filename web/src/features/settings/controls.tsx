import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useId } from "react";
import { useSetting } from "@/data/settings";
import type { Settings } from "@/data/types";
import { saveSetting } from "./save-setting";

interface Option<T> {
  value: T;
  label: string;
  lang?: string;
}

interface RowProps {
  label: string;
  hint?: ReactNode;
}

interface ChoiceProps<T> extends RowProps {
  value: T;
  options: readonly Option<T>[];
  onChoose: (option: Option<T>) => void;
}

/** Radio buttons in a row. */
export function Choice<T>({ label, hint, value, options, onChoose }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div
      className="setting"
      role="radiogroup"
      aria-labelledby={id}
      aria-describedby={hint ? `${id}-hint` : undefined}
    >
      <div className="text">
        <span id={id}>{label}</span>
        {hint && (
          <p id={`${id}-hint`} className="hint">
            {hint}
          </p>
        )}
      </div>
      <div className="options">
        {options.map((option) => (
          <label key={String(option.value)} lang={option.lang}>
            <input
              type="radio"
              name={id}
              checked={option.value === value}
              onChange={() => onChoose(option)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </div>
  );
}

interface SwitchProps extends RowProps {
  value: boolean;
  onChange: (value: boolean) => void;
}

export function Switch({ label, hint, value, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="setting">
      <label className="text" htmlFor={id}>
        <span>{label}</span>
        {hint && (
          <p id={`${id}-hint`} className="hint">
            {hint}
          </p>
        )}
      </label>
      <input
        id={id}
        className="switch"
        type="checkbox"
        role="switch"
        checked={value}
        aria-checked={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}

interface SettingChoiceProps<K extends keyof Settings> extends RowProps {
  name: K;
  options: readonly Option<Settings[K]>[];
}

/** A setting, saved at once with undo. */
export function SettingChoice<K extends keyof Settings>({ name, ...rest }: SettingChoiceProps<K>) {
  const { t } = useLingui();
  const value = useSetting(name);
  return (
    <Choice
      {...rest}
      value={value}
      onChoose={(option) => saveSetting(name, option.value, t`${rest.label}: ${option.label}`)}
    />
  );
}

type Switches = { [K in keyof Settings]: Settings[K] extends boolean ? K : never }[keyof Settings];

interface SettingSwitchProps extends RowProps {
  name: Switches;
  onSaved?: () => void;
}

export function SettingSwitch({ name, onSaved, ...rest }: SettingSwitchProps) {
  const { t } = useLingui();
  const value = useSetting(name);
  return (
    <Switch
      {...rest}
      value={value}
      onChange={(next) =>
        saveSetting(name, next, next ? t`${rest.label}: on` : t`${rest.label}: off`, onSaved)
      }
    />
  );
}
