import type { ComponentProps } from "react";

/** Takes a web address: no keyboard corrects it, and the server accepts none that is longer. */
export function AddressInput(props: ComponentProps<"input">) {
  return (
    <input
      type="url"
      inputMode="url"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={2000}
      {...props}
    />
  );
}
