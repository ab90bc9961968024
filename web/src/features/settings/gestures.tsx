import { Trans, useLingui } from "@lingui/react/macro";
import { setPreference, usePreference } from "@/data/preferences";
import { articleGestures, onOff, rowSwipes } from "@/data/touch";
import { useMedia } from "@/ui/use-media";
import { Choice, Switch } from "./controls";
import { useUndoable } from "./use-save";

/** What fingers do on this device; where there is no touch, nothing is shown. */
export function Gestures() {
  const { t } = useLingui();
  const hasTouch = useMedia("(any-pointer: coarse)");
  const swipe = usePreference(rowSwipes.name, rowSwipes.values, "both");
  const article = usePreference(articleGestures, onOff, "on");
  const undoable = useUndoable();
  const save = (name: string, old: string, value: string, text: string) => {
    setPreference(name, value);
    undoable(text, Promise.resolve(), () => setPreference(name, old));
  };
  const rows = t`Swiping a row`;
  const articles = t`Gestures in articles`;
  if (!hasTouch) return null;
  return (
    <section className="card" aria-labelledby="gestures">
      <h2 id="gestures">
        <Trans>Touch, on this device</Trans>
      </h2>
      <Choice
        label={rows}
        hint={t`To the right stars, to the left marks as read.`}
        value={swipe}
        options={[
          { value: "both", label: t`Both ways` },
          { value: "star", label: t`Star only` },
          { value: "read", label: t`Read only` },
          { value: "off", label: t`Off` },
        ]}
        onChoose={({ value, label }) => save(rowSwipes.name, swipe, value, `${rows}: ${label}`)}
      />
      <Switch
        label={articles}
        hint={t`From the left edge goes back, past the end goes on.`}
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
