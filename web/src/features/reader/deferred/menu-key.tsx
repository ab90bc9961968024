import type { CommandId } from "@/keys/commands";
import { KeyHint } from "@/ui/key-hint";

/** The key of a menu entry; hidden from screen readers, for which the name of the entry is enough. */
export function MenuKey({ command }: { command: CommandId }) {
  return (
    <span aria-hidden="true" className="ms-auto">
      <KeyHint command={command} />
    </span>
  );
}
