import { Trans } from "@lingui/react/macro";
import { type Ref, useId } from "react";
import { AddressInput } from "@/ui/address-input";

interface Props {
  ref: Ref<HTMLInputElement>;
  isMissing: boolean;
  initial?: string;
}

/** The field for the address of a page. */
export function AddressField({ ref, isMissing, initial = "" }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        <Trans>Address of the page</Trans>
      </label>
      <AddressInput
        ref={ref}
        id={id}
        placeholder="https://example.jp/search?q=…"
        defaultValue={initial}
        aria-invalid={isMissing || undefined}
        aria-describedby={isMissing ? `${id}-missing` : undefined}
      />
      {isMissing && (
        <p id={`${id}-missing`} className="wrong">
          <Trans>Enter an address.</Trans>
        </p>
      )}
    </div>
  );
}
