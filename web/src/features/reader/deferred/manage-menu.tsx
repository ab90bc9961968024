import { Trans, useLingui } from "@lingui/react/macro";
import { Download, Funnel, History, ListChecks, TextAlignJustify, Upload } from "lucide-react";
import { outward } from "@/data/base";
import { go } from "@/data/use-route";
import { runCommand } from "@/keys/use-command";
import { Menu, MenuItem } from "@/ui/menu";
import { MenuKey } from "./menu-key";

/** What one does to feeds as a whole. */
export function ManageMenu({ onImport }: { onImport: () => void }) {
  const { t } = useLingui();
  const icon = (
    <>
      <TextAlignJustify />
      <Trans>Manage</Trans>
    </>
  );
  return (
    <Menu label={t`Manage`} icon={icon} place="bottom-12 start-2" className="foot-tool">
      {(close) => (
        <>
          <MenuItem
            icon={<History />}
            onClick={() => {
              close();
              runCommand("go.recent");
            }}
          >
            <Trans>Recently read</Trans>
            <MenuKey command="go.recent" />
          </MenuItem>
          <hr />
          <MenuItem
            icon={<ListChecks />}
            onClick={() => {
              close();
              runCommand("go.feeds");
            }}
          >
            <Trans>Subscriptions</Trans>
            <MenuKey command="go.feeds" />
          </MenuItem>
          <MenuItem
            icon={<Funnel />}
            onClick={() => {
              close();
              go("/rules");
            }}
          >
            <Trans>Rules and labels</Trans>
          </MenuItem>
          <hr />
          <MenuItem
            icon={<Upload />}
            onClick={() => {
              close();
              onImport();
            }}
          >
            <Trans>Import OPML</Trans>
          </MenuItem>
          <a
            role="menuitem"
            tabIndex={-1}
            href={outward("/api/export/opml")}
            download
            onClick={() => close()}
          >
            <Download />
            <Trans>Export OPML</Trans>
          </a>
        </>
      )}
    </Menu>
  );
}
