import { Trans, useLingui } from "@lingui/react/macro";
import { useText } from "@/data/preferences";
import { useSetting } from "@/data/settings";
import { commandGroups, commandName } from "@/keys/command-names";
import type { CommandId } from "@/keys/commands";
import { mapOf, type OwnKeys, ownKeys, setOwnKeys } from "@/keys/keymap";
import { Note } from "@/ui/note";
import { offerUndo } from "@/ui/undo";
import { bind, unbind } from "./binding";
import { SettingChoice } from "./controls";
import { KeyRow } from "./key-row";

export function Keys() {
  const { t, i18n } = useLingui();
  const preset = useSetting("keymap");
  useText("keys"); // renders again when own keys change
  const own = ownKeys();
  // While shortcuts are off the preset "reader" is shown.
  const map = mapOf(preset === "none" ? "reader" : preset, own);
  const change = (next: OwnKeys, text: string) => {
    setOwnKeys(next);
    offerUndo(text, () => setOwnKeys(own));
  };
  const nameOf = (id: CommandId) => i18n._(commandName(id));

  return (
    <>
      <section className="card">
        <SettingChoice
          name="keymap"
          label={t`Keys`}
          options={[
            { value: "reader", label: "Reader" },
            { value: "ldr", label: "LDR" },
            { value: "none", label: t`Off` },
          ]}
        />
        <p>
          <Trans>
            LDR uses the Livedoor Reader keys: s and a switch feeds, p pins an article, o opens
            pinned articles. Custom shortcuts are saved on this device.
          </Trans>
        </p>
        {preset === "none" && (
          <Note kind="warn">
            <Trans>Shortcuts are off. Enter and Escape still work.</Trans>
          </Note>
        )}
      </section>
      {commandGroups.map(({ title, commands }) => (
        <section key={title.id} className="card" aria-labelledby={`keys-${title.id}`}>
          <h2 id={`keys-${title.id}`}>{i18n._(title)}</h2>
          <ul>
            {commands.map(([command, name]) => (
              <KeyRow
                key={command}
                command={command}
                name={i18n._(name)}
                map={map}
                isOwn={own[command] !== undefined}
                onBind={(id, keys, instead) =>
                  change(
                    bind(map, own, id, keys, instead),
                    t`Shortcut ${keys} set for: ${nameOf(id)}`,
                  )
                }
                onUnbind={(id, keys) =>
                  change(
                    unbind(map, own, id, keys),
                    t`Shortcut ${keys} removed from: ${nameOf(id)}`,
                  )
                }
                onReset={(id) => {
                  const { [id]: _, ...rest } = own;
                  change(rest, t`Shortcuts reset: ${nameOf(id)}`);
                }}
              />
            ))}
          </ul>
        </section>
      ))}
      <p>
        <button
          type="button"
          className="btn"
          aria-disabled={Object.keys(own).length === 0}
          onClick={() => {
            if (Object.keys(own).length > 0) change({}, t`All shortcuts reset`);
          }}
        >
          <Trans>Reset all shortcuts</Trans>
        </button>
      </p>
    </>
  );
}
