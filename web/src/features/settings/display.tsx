import { Trans, useLingui } from "@lingui/react/macro";
import { SettingChoice } from "./controls";
import { TypeSample } from "./type-sample";

const steps = [-2, -1, 0, 1, 2, 3, 4] as const;
const lineHeights = ["1.6", "1.75", "1.85", "2.0"] as const;

export function Display() {
  const { t } = useLingui();
  return (
    <>
      <section className="card">
        <SettingChoice
          name="theme"
          label={t`Theme`}
          options={[
            { value: "auto", label: t`System` },
            { value: "light", label: t`Light` },
            { value: "dark", label: t`Dark` },
          ]}
        />
        <SettingChoice
          name="language"
          label={t`Language`}
          options={[
            { value: "auto", label: t`Browser default` },
            { value: "en", label: "English", lang: "en" },
            { value: "ja", label: "日本語", lang: "ja" },
          ]}
        />
      </section>
      <section className="card" aria-labelledby="lists">
        <h2 id="lists">
          <Trans>Lists</Trans>
        </h2>
        <SettingChoice
          name="defaultView"
          label={t`First mode`}
          hint={t`Skim: except for single feeds, starred articles and labels, which open in Read. Each list remembers the mode that you choose for it.`}
          options={[
            { value: "list", label: t`Skim` },
            { value: "magazine", label: t({ message: "Read", context: "mode" }) },
            { value: "card", label: t`Gallery` },
          ]}
        />
        <SettingChoice
          name="density"
          label={t`Density`}
          options={[
            { value: "normal", label: t`Normal` },
            { value: "compact", label: t`Compact` },
          ]}
        />
      </section>
      <section className="card" aria-labelledby="type">
        <h2 id="type">
          <Trans>Article text</Trans>
        </h2>
        <TypeSample />
        <SettingChoice
          name="readingFont"
          label={t`Font`}
          options={[
            { value: "sans", label: t`Sans serif` },
            { value: "mincho", label: t`Serif` },
          ]}
        />
        <SettingChoice
          name="textStep"
          label={t`Text size`}
          options={steps.map((value) => ({
            value,
            label: value === 0 ? t`Normal` : value > 0 ? `+${value}` : `−${-value}`,
          }))}
        />
        <SettingChoice
          name="lineHeight"
          label={t`Line height`}
          options={[
            { value: "auto", label: t`Auto` },
            ...lineHeights.map((value) => ({ value, label: value })),
          ]}
        />
        <SettingChoice
          name="measure"
          label={t`Line length`}
          options={[
            { value: "narrow", label: t`Short` },
            { value: "normal", label: t`Normal` },
            { value: "wide", label: t`Long` },
          ]}
        />
      </section>
    </>
  );
}
