import { Trans, useLingui } from "@lingui/react/macro";
import { AArrowDown, AArrowUp, ALargeSmall } from "lucide-react";
import type { ReactNode } from "react";
import { setSettings, useSetting } from "@/data/settings";
import type { Settings } from "@/data/types";
import { runCommand } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { showError } from "@/ui/show-error";
import { offerUndo } from "@/ui/undo";
import { Panel } from "./panel";
import { defaultText, isDefaultText, largest, smallest } from "./text-size";

const set = (patch: Partial<Settings>) => void setSettings(patch).catch(showError);

/** The text settings. */
export function TypePanel() {
  const { t } = useLingui();
  const readingFont = useSetting("readingFont");
  const textStep = useSetting("textStep");
  const lineHeight = useSetting("lineHeight");
  const measure = useSetting("measure");
  const showImages = useSetting("showImages");
  const now = { readingFont, textStep, lineHeight, measure };

  const reset = () => {
    set(defaultText);
    offerUndo(t`Text settings reset`, () => set(now));
  };
  return (
    <Panel label={t`Text settings`} icon={<ALargeSmall />}>
      <Row name={t`Font`}>
        <Choice
          name={t`Font`}
          value={readingFont}
          options={[
            ["sans", t`Sans serif`],
            ["mincho", t`Serif`],
          ]}
          onChoose={(value) => set({ readingFont: value })}
        />
      </Row>
      <Row name={t`Text size`}>
        {/* biome-ignore lint/a11y/useSemanticElements: a group of buttons, not of form fields */}
        <span className="stepper" role="group" aria-label={t`Text size`}>
          <IconButton
            label={t`Smaller text`}
            command="text.smaller"
            icon={<AArrowDown />}
            aria-disabled={textStep <= smallest}
            onClick={() => runCommand("text.smaller")}
          />
          <output className="tabular-nums">{textStep > 0 ? `+${textStep}` : textStep}</output>
          <IconButton
            label={t`Larger text`}
            command="text.larger"
            icon={<AArrowUp />}
            aria-disabled={textStep >= largest}
            onClick={() => runCommand("text.larger")}
          />
        </span>
      </Row>
      <Row name={t`Line height`}>
        <Choice
          name={t`Line height`}
          value={lineHeight}
          options={[
            ["auto", t`Auto`],
            ["1.6", "1.6"],
            ["1.75", "1.75"],
            ["1.85", "1.85"],
            ["2.0", "2.0"],
          ]}
          onChoose={(value) => set({ lineHeight: value })}
        />
      </Row>
      <Row name={t`Line length`} className="wide-only">
        <Choice
          name={t`Line length`}
          value={measure}
          options={[
            ["narrow", t`Short`],
            ["normal", t`Normal`],
            ["wide", t`Long`],
          ]}
          onChoose={(value) => set({ measure: value })}
        />
      </Row>
      <Row name={t`Images`}>
        <Choice
          name={t`Images`}
          value={showImages ? "on" : "off"}
          options={[
            ["on", t`Show`],
            ["off", t`Hide`],
          ]}
          onChoose={(value) => set({ showImages: value === "on" })}
        />
      </Row>
      <button
        type="button"
        className="btn w-full"
        aria-disabled={isDefaultText(now)}
        onClick={() => !isDefaultText(now) && reset()}
      >
        <Trans>Reset text settings</Trans>
      </button>
    </Panel>
  );
}

function Row({
  name,
  className,
  children,
}: {
  name: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div className={className ? `panel-row ${className}` : "panel-row"}>
      <span aria-hidden="true">{name}</span>
      {children}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  name: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChoose: (value: T) => void;
}

function Choice<T extends string>({ name, value, options, onChoose }: ChoiceProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of toggles, not of form fields
    <div className="segments" role="group" aria-label={name}>
      {options.map(([one, label]) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === value}
          onClick={() => one !== value && onChoose(one)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
