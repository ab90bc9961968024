import { useLayoutEffect, useRef } from "react";
import type { CommandId } from "./commands";

/** False leaves the key to the code below, and at last to the browser. */
type Run = () => unknown;

const stacks = new Map<CommandId, { current: Run }[]>();

/** Runs a command: the code registered last decides. False means nobody could, and the key stays the browser's. */
export function runCommand(id: CommandId): boolean {
  const stack = stacks.get(id) ?? [];
  for (let i = stack.length - 1; i >= 0; i -= 1) {
    if (stack[i]?.current() !== false) return true;
  }
  return false;
}

/** Registers code for commands while the component is mounted. Code that returns false leaves it to the one below. */
export function useCommands(table: Partial<Record<CommandId, Run>>): void {
  const latest = useRef(table);
  latest.current = table;
  const ids = Object.keys(table).sort().join(" ");
  // What is seen takes its keys: not a moment later.
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
