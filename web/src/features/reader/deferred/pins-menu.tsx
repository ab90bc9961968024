import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ExternalLink, Pin, PinOff } from "lucide-react";
import { useEffect } from "react";
import { followPins, pins, restorePins, setPins, usePinCount } from "@/data/mutations/pins";
import { runCommand } from "@/keys/use-command";
import { KeyHint } from "@/ui/key-hint";
import { Menu, MenuItem } from "@/ui/menu";
import { offerUndo } from "@/ui/undo";

/** The number of pinned items and a menu for them; nothing while there are none. */
export function PinsMenu() {
  const { t } = useLingui();
  const count = usePinCount();
  useEffect(followPins, []);
  const name = t`${plural(count, { one: "# pinned article", other: "# pinned articles" })}`;
  // The button is removed with the last pin: moves the focus to the list.
  const leave = (close: (giveBack: boolean) => void) => {
    close(false);
    const find = (part: string) => document.querySelector<HTMLElement>(`.list-pane ${part}`);
    (find('.row[tabindex="0"]') ?? find("h1"))?.focus({ preventScroll: true });
  };
  const clear = () => {
    const before = pins();
    setPins([]);
    offerUndo(t`All pins removed`, () => restorePins(before));
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
              <Pin />
              {count}
            </span>
          }
          place="top-14 end-2"
        >
          {(close) => (
            <>
              <MenuItem
                icon={<ExternalLink />}
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
                icon={<PinOff />}
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
