import { Trans } from "@lingui/react/macro";
import { CheckCheck, Clock } from "lucide-react";
import { runCommand } from "@/keys/use-command";
import { MenuItem } from "@/ui/menu";

/** The commands that mark by age or everything, for the menus of a list and of an article. */
export function MarkOlder({ then }: { then: (run: () => void) => () => void }) {
  return (
    <>
      <MenuItem icon={<Clock />} onClick={then(() => runCommand("list.markDay"))}>
        <Trans>Mark older than a day as read</Trans>
      </MenuItem>
      <MenuItem icon={<Clock />} onClick={then(() => runCommand("list.markWeek"))}>
        <Trans>Mark older than a week as read</Trans>
      </MenuItem>
      <MenuItem icon={<CheckCheck />} onClick={then(() => runCommand("list.markRead"))}>
        <Trans>Mark all as read</Trans>
      </MenuItem>
    </>
  );
}
