import { Trans, useLingui } from "@lingui/react/macro";
import { type Command, commands } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";
import { Dialog } from "@/ui/dialog";
import { Presses } from "@/ui/key-hint";

/** Lists exactly the live map: the same table that the keys run from. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const groups: readonly [Command["group"], string][] = [
    ["list", t`List`],
    ["article", t`Item`],
    ["go", t`Go to`],
    ["app", t`Reader`],
  ];
  return (
    <Dialog title={t`Keyboard shortcuts`} onClose={onClose}>
      {groups.map(([group, title]) => (
        <section key={group} className="mb-4">
          <h3 className="mb-1 font-semibold text-ink2">{title}</h3>
          <dl className="grid grid-cols-[7rem_1fr] items-center gap-y-1">
            {commands
              .filter((command) => command.group === group && keysOf(command.id).length > 0)
              .map((command) => (
                <Line key={command.id} command={command} />
              ))}
          </dl>
        </section>
      ))}
      <p className="text-ink3">
        <Trans>Keys rest while you type, also with an input method on.</Trans>
      </p>
    </Dialog>
  );
}

function Line({ command }: { command: Command }) {
  const { i18n } = useLingui();
  return (
    <>
      <dt className="flex flex-wrap gap-x-2">
        {keysOf(command.id).map((keys) => (
          <Presses key={keys} keys={keys} />
        ))}
      </dt>
      <dd>{i18n._(command.label)}</dd>
    </>
  );
}
