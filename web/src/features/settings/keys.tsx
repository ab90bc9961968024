import { Trans, useLingui } from "@lingui/react/macro";
import { useText } from "@/data/preferences";
import { useSetting } from "@/data/settings";
import { type Command, type CommandId, commandById, commands } from "@/keys/commands";
import { mapOf, type OwnKeys, ownKeys, setOwnKeys } from "@/keys/keymap";
import { Note } from "@/ui/note";
import { showUndo } from "@/ui/toasts";
import { bind, unbind } from "./binding";
import { SettingChoice } from "./controls";
import { KeyRow } from "./key-row";

export function Keys() {
  const { t, i18n } = useLingui();
  const preset = useSetting("keymap");
  useText("keys"); // draws anew when own keys change
  const own = ownKeys();
  // Also while the keys are off one sees, and sets, what they will be.
  const map = mapOf(preset === "none" ? "reader" : preset, own);
  const groups: readonly [Command["group"], string][] = [
    ["list", t`List`],
    ["article", t`Item`],
    ["go", t`Go to`],
    ["app", t`Reader`],
  ];
  const change = (next: OwnKeys, text: string) => {
    setOwnKeys(next);
    showUndo(text, t`Undo`, () => setOwnKeys(own));
  };
  const nameOf = (id: CommandId) => i18n._(commandById(id).label);

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
            LDR are the keys of Livedoor Reader: s and a for feeds, p pins an item, o opens what is
            pinned. Keys that you choose yourself stay on this device.
          </Trans>
        </p>
        {preset === "none" && (
          <Note kind="warn">
            <Trans>The keys are off. Enter and Escape still lead in and out.</Trans>
          </Note>
        )}
      </section>
      {groups.map(([group, title]) => (
        <section key={group} className="card" aria-labelledby={`keys-${group}`}>
          <h2 id={`keys-${group}`}>{title}</h2>
          <ul>
            {commands
              .filter((command) => command.group === group)
              .map((command) => (
                <KeyRow
                  key={command.id}
                  command={command}
                  map={map}
                  isOwn={own[command.id] !== undefined}
                  onBind={(id, keys, instead) =>
                    change(
                      bind(map, own, id, keys, instead),
                      t`The key ${keys} is now for: ${nameOf(id)}`,
                    )
                  }
                  onUnbind={(id, keys) =>
                    change(
                      unbind(map, own, id, keys),
                      t`The key ${keys} is no longer for: ${nameOf(id)}`,
                    )
                  }
                  onReset={(id) => {
                    const { [id]: _, ...rest } = own;
                    change(rest, t`The usual keys for: ${nameOf(id)}`);
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
            if (Object.keys(own).length > 0) change({}, t`All keys are the usual ones again.`);
          }}
        >
          <Trans>All keys as usual</Trans>
        </button>
      </p>
    </>
  );
}
