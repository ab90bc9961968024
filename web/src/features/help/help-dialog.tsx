import { Trans, useLingui } from "@lingui/react/macro";
import { commandGroups } from "@/keys/command-names";
import type { CommandId } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";
import { Dialog } from "@/ui/dialog";
import { Presses } from "@/ui/key-hint";

/** Lists exactly the live map: the same table that the keys run from. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useLingui();
  return (
    <Dialog title={t`Keyboard shortcuts`} onClose={onClose}>
      {commandGroups.map(({ title, commands }) => (
        <section key={title.id} className="mb-4">
          <h3 className="mb-1 font-semibold text-ink2">{i18n._(title)}</h3>
          <dl className="grid grid-cols-[7rem_1fr] items-center gap-y-1">
            {commands.map(([id, name]) => (
              <Line key={id} id={id} name={i18n._(name)} />
            ))}
          </dl>
        </section>
      ))}
      <p className="text-ink3">
        <Trans>Shortcuts are off while you type.</Trans>
      </p>
    </Dialog>
  );
}

function Line({ id, name }: { id: CommandId; name: string }) {
  const keys = keysOf(id);
  if (keys.length === 0) return null;
  return (
    <>
      <dt className="flex flex-wrap gap-x-2">
        {keys.map((one) => (
          <Presses key={one} keys={one} />
        ))}
      </dt>
      <dd>{name}</dd>
    </>
  );
}
