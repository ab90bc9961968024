import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowDownAZ, Check, FolderPlus, GripVertical, ListFilter, MailOpen } from "lucide-react";
import { setPreference } from "@/data/preferences";
import { Menu, MenuChoice, MenuItem } from "@/ui/menu";
import type { Sort } from "./tree";
import { useHideRead, useSort } from "./use-side-tree";

/** The order and filter of the side bar, on this device. */
export function ViewMenu({ onNewFolder }: { onNewFolder: () => void }) {
  const { t } = useLingui();
  const sort = useSort();
  const hidesRead = useHideRead();
  return (
    <Menu label={t`Sort feeds`} icon={<ListFilter />} place="top-14 end-2">
      {(close) => (
        <>
          <MenuChoice<Sort>
            label={t`Sort`}
            value={sort}
            onChoose={(value) => setPreference("side-sort", value)}
            options={[
              {
                value: "manual",
                label: t`Custom order`,
                icon: <GripVertical />,
              },
              { value: "name", label: t`By name`, icon: <ArrowDownAZ /> },
              {
                value: "unread",
                label: t`Most unread first`,
                icon: <MailOpen />,
              },
            ]}
          />
          <hr />
          <button
            type="button"
            role="menuitemcheckbox"
            aria-checked={hidesRead}
            tabIndex={-1}
            onClick={() => setPreference("side-hide-read", hidesRead ? "no" : "yes")}
          >
            <Check opacity={hidesRead ? 1 : 0} />
            <Trans>Hide read feeds</Trans>
          </button>
          <hr />
          <MenuItem
            icon={<FolderPlus />}
            onClick={() => {
              close();
              onNewFolder();
            }}
          >
            <Trans>New folder…</Trans>
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
