import { useLayoutEffect, useRef } from "react";
import type { CommandId } from "./commands";

/** False leaves the key to the handler registered before, and finally to the browser. */
type Run = () => unknown;

const stacks = new Map<CommandId, { current: Run }[]>();

/** Runs a command by the handler registered last that does not return false; false when there is none. */
export function runCommand(id: CommandId): boolean {
  const stack = stacks.get(id) ?? [];
  for (let i = stack.length - 1; i >= 0; i -= 1) {
    if (stack[i]?.current() !== false) return true;
  }
  return false;
}

/** Registers handlers of commands while the component is mounted. */
export function useCommands(table: Partial<Record<CommandId, Run>>): void {
  const latest = useRef(table);
  latest.current = table;
  const ids = Object.keys(table).sort().join(" ");
  // As soon as the component is visible.
  useLayoutEffect(() => {
    const entries = ids.split(" ").map((name) => {
      const id = name as CommandId;
      const entry = { current: () => latest.current[id]?.() };
      const stack = stacks.get(id) ?? [];
      stack.push(entry);
      stacks.set(id, stack);
      return [id, entry] as const;
    });
    return () => {
      for (const [id, entry] of entries) {
        const stack = stacks.get(id);
        stack?.splice(stack.indexOf(entry), 1);
      }
    };
  }, [ids]);
}
