import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ExternalLink, Pin, PinOff } from "lucide-react";
import { useEffect } from "react";
import { followPins, pins, restorePins, setPins, usePinCount } from "@/data/pins";
import { runCommand } from "@/keys/use-command";
import { KeyHint } from "@/ui/key-hint";
import { Menu, MenuItem } from "@/ui/menu";
import { showUndo } from "@/ui/toasts";

/** How many items are pinned on this device, and what to do with them; nothing while there are none. */
export function PinsMenu() {
  const { t } = useLingui();
  const count = usePinCount();
  useEffect(followPins, []);
  const name = t`${plural(count, { one: "# pinned item", other: "# pinned items" })}`;
  // The button goes with its last pin: what has the focus then must stay.
  const leave = (close: (giveBack: boolean) => void) => {
    close(false);
    const find = (part: string) => document.querySelector<HTMLElement>(`.list-pane ${part}`);
    (find('.row[tabindex="0"]') ?? find("h1"))?.focus({ preventScroll: true });
  };
  const clear = () => {
    const before = pins();
    setPins([]);
    showUndo(t`All pins were removed.`, t`Undo`, () => restorePins(before));
  };
  return (
    <>
      <span role="status" className="sr-only">
        {count > 0 && name}
      </span>
      {count > 0 && (
        <Menu
          label={name}
          icon={
            <span className="pin-count">
              <Pin aria-hidden="true" />
              {count}
            </span>
          }
          place="top-14 end-2"
        >
          {(close) => (
            <>
              <MenuItem
                icon={<ExternalLink aria-hidden="true" />}
                onClick={() => {
                  leave(close);
                  runCommand("pins.open");
                }}
              >
                <Trans>Open all in tabs</Trans>
                <span aria-hidden="true" className="ms-auto">
                  <KeyHint command="pins.open" />
                </span>
              </MenuItem>
              <MenuItem
                icon={<PinOff aria-hidden="true" />}
                onClick={() => {
                  leave(close);
                  clear();
                }}
              >
                <Trans>Remove all pins</Trans>
              </MenuItem>
            </>
          )}
        </Menu>
      )}
    </>
  );
}
