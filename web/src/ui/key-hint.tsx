import { Fragment } from "react";
import { useText } from "@/data/preferences";
import { useSetting } from "@/data/settings";
import { type CommandId, keyLabel } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";

/** The first key of a command; undefined without one. */
export function useKey(command: CommandId): string | undefined {
  useSetting("keymap");
  useText("keys");
  return keysOf(command)[0];
}

/** The first key of a command; nothing without one. */
export function KeyHint({ command }: { command: CommandId }) {
  const key = useKey(command);
  return key === undefined ? null : <Presses keys={key} />;
}

export function Presses({ keys }: { keys: string }) {
  return (
    <span className="presses">
      {keys.split(" ").map((press, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence may have a key twice
        <Fragment key={at}>
          {at > 0 && " "}
          <kbd>{keyLabel(press)}</kbd>
        </Fragment>
      ))}
    </span>
  );
}
