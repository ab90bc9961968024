import { Trans, useLingui } from "@lingui/react/macro";
import {
  ArrowDownToLine,
  ArrowUpToLine,
  CheckCheck,
  Ellipsis,
  RefreshCw,
  Trash,
} from "lucide-react";
import type { Feed } from "@/data/types";
import { runCommand } from "@/keys/use-command";
import { Menu, MenuItem } from "@/ui/menu";
import { MenuKey } from "./menu-key";
import { PinsMenu } from "./pins-menu";

interface ListMenuProps {
  feed: Feed | undefined;
  /** There is an item at the cursor, above and below which the list can be marked. */
  hasCursor: boolean;
  onUnsubscribe: (feed: Feed) => void;
}

export function ListMenu({ feed, hasCursor, onUnsubscribe }: ListMenuProps) {
  const { t } = useLingui();
  return (
    <>
      <PinsMenu />
      <Menu label={t`List actions`} icon={<Ellipsis />} place="top-14 end-2">
        {(close) => {
          const then = (run: () => void) => () => {
            close();
            run();
          };
          return (
            <>
              <MenuItem icon={<RefreshCw />} onClick={then(() => runCommand("feed.refresh"))}>
                {feed ? <Trans>Refresh now</Trans> : <Trans>Refresh</Trans>}
                <MenuKey command="feed.refresh" />
              </MenuItem>
              <MenuItem icon={<CheckCheck />} onClick={then(() => runCommand("list.markRead"))}>
                <Trans>Mark all as read</Trans>
                <MenuKey command="list.markRead" />
              </MenuItem>
              {hasCursor && (
                <>
                  <MenuItem
                    icon={<ArrowUpToLine />}
                    onClick={then(() => runCommand("list.markAbove"))}
                  >
                    <Trans>Mark above as read</Trans>
                    <MenuKey command="list.markAbove" />
                  </MenuItem>
                  <MenuItem
                    icon={<ArrowDownToLine />}
                    onClick={then(() => runCommand("list.markBelow"))}
                  >
                    <Trans>Mark below as read</Trans>
                    <MenuKey command="list.markBelow" />
                  </MenuItem>
                </>
              )}
              {feed && (
                <>
                  <hr />
                  <MenuItem icon={<Trash />} onClick={then(() => onUnsubscribe(feed))}>
                    <Trans>Unsubscribe</Trans>
                  </MenuItem>
                </>
              )}
            </>
          );
        }}
      </Menu>
    </>
  );
}
