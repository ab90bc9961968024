import { Trans, useLingui } from "@lingui/react/macro";
import { setPreference, usePreference } from "@/data/preferences";
import { articleGestures, onOff, rowSwipes } from "@/ui/touch";
import { offerUndo } from "@/ui/undo";
import { useMedia } from "@/ui/use-media";
import { Choice, Switch } from "./controls";

/** Touch gestures on this device; nothing without a touch screen. */
export function Gestures() {
  const { t } = useLingui();
  const hasTouch = useMedia("(any-pointer: coarse)");
  const swipe = usePreference(rowSwipes.name, rowSwipes.values, "both");
  const article = usePreference(articleGestures, onOff, "on");
  const save = (name: string, old: string, value: string, text: string) => {
    setPreference(name, value);
    offerUndo(text, () => setPreference(name, old));
  };
  const rows = t`Swipe on articles`;
  const articles = t`Article gestures`;
  if (!hasTouch) return null;
  return (
    <section className="card" aria-labelledby="gestures">
      <h2 id="gestures">
        <Trans>Touch, on this device</Trans>
      </h2>
      <Choice
        label={rows}
        hint={t`Swipe right to star, left to mark as read`}
        value={swipe}
        options={[
          { value: "both", label: t`Both directions` },
          { value: "star", label: t`Star only` },
          { value: "read", label: t`Mark as read only` },
          { value: "off", label: t`Off` },
        ]}
        onChoose={({ value, label }) => save(rowSwipes.name, swipe, value, `${rows}: ${label}`)}
      />
      <Switch
        label={articles}
        hint={t`Swipe from the left edge to go back; pull past the end for the next article`}
        value={article === "on"}
        onChange={(next) =>
          save(
            articleGestures,
            article,
            next ? "on" : "off",
            next ? t`${articles}: on` : t`${articles}: off`,
          )
        }
      />
    </section>
  );
}
