import type { ComponentProps, ReactNode, Ref } from "react";
import { type CommandId, keyLabel } from "@/keys/commands";
import { keysOf } from "@/keys/keymap";

interface Props extends Omit<ComponentProps<"button">, "aria-label"> {
  label: string;
  command?: CommandId;
  icon: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with an icon; its name is the label, name and key are the tooltip. */
export function IconButton({ label, command, icon, className, ...rest }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={command ? withKey(label, command) : label}
      className={className ? `icon-btn ${className}` : "icon-btn"}
      {...rest}
    >
      {icon}
    </button>
  );
}

export function withKey(label: string, command: CommandId): string {
  const [first] = keysOf(command);
  return first ? `${label} (${keyLabel(first)})` : label;
}
