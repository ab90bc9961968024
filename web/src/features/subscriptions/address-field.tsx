import { Trans } from "@lingui/react/macro";
import type { RefObject } from "react";
import { AddressInput } from "@/ui/address-input";
import { addressIn } from "./discovery";

interface Props {
  ref: RefObject<HTMLInputElement | null>;
  id: string;
  value: string;
  isMissing: boolean;
  isWrong: boolean;
  /** Of the element that says how the search goes on. */
  stateId: string;
  onType: (text: string) => void;
  /** An address was pasted as a whole. */
  onPasted: (text: string) => void;
}

/** The address of a feed or a website, as a person types or pastes it. */
export function AddressField(props: Props) {
  const { ref, id, value, isMissing, isWrong, stateId, onType, onPasted } = props;
  return (
    <div className="field">
      <label htmlFor={id}>
        <Trans>Feed or website address</Trans>
      </label>
      <AddressInput
        ref={ref}
        id={id}
        data-first
        placeholder="https://example.jp/"
        value={value}
        onChange={(event) => onType(event.target.value)}
        onPaste={(event) => {
          // Searches at once, unless the address was pasted into other text.
          const text = event.clipboardData.getData("text");
          const { selectionStart, selectionEnd, value } = event.currentTarget;
          const isAll = selectionStart === 0 && selectionEnd === value.length;
          if (!isAll || addressIn(text) === "") return;
          event.preventDefault();
          onPasted(text.trim());
        }}
        aria-invalid={isWrong || undefined}
        aria-describedby={isMissing ? `${id}-missing` : stateId}
      />
      {isMissing && (
        <p id={`${id}-missing`} className="mt-1 text-err">
          <Trans>Enter an address.</Trans>
        </p>
      )}
    </div>
  );
}
