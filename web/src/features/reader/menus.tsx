import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import {
  ArrowDownToLine,
  ArrowUpToLine,
  ChartColumn,
  CheckCheck,
  Download,
  Ellipsis,
  Funnel,
  ListChecks,
  LogOut,
  Monitor,
  Moon,
  RefreshCw,
  Settings,
  Sun,
  Trash,
  Upload,
} from "lucide-react";
import { toApiError } from "@/data/api-error";
import { logout } from "@/data/logout";
import { useMe } from "@/data/me";
import { setSettings, useSetting } from "@/data/settings";
import type { Feed } from "@/data/types";
import { go, navigate } from "@/data/use-route";
import { errorWords } from "@/i18n/error-words";
import type { Locale } from "@/i18n/locale";
import type { CommandId } from "@/keys/commands";
import { runCommand } from "@/keys/use-command";
import { KeyHint } from "@/ui/key-hint";
import { Menu, MenuChoice, MenuItem } from "@/ui/menu";
import type { Theme } from "@/ui/theme";
import { showToast } from "@/ui/toasts";
import { PinsMenu } from "./pins-menu";

// One chunk, loaded after the first paint: nobody opens a menu before.

export function SettingsMenu({ onImport }: { onImport: () => void }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const theme = useSetting("theme");
  const choose = (patch: Parameters<typeof setSettings>[0]) =>
    setSettings(patch).catch((cause) => showToast(i18n._(errorWords(toApiError(cause)).says)));

  const signOut = async () => {
    try {
      await logout(client);
      navigate("/login", { replace: true });
    } catch (cause) {
      showToast(i18n._(errorWords(toApiError(cause)).says));
    }
  };

  return (
    <Menu label={t`Settings`} icon={<Settings />} place="bottom-14 end-2">
      {(close) => (
        <>
          <MenuItem
            icon={<Settings aria-hidden="true" />}
            onClick={() => {
              close();
              runCommand("go.settings");
            }}
          >
            <Trans>All settings</Trans>
            <Key command="go.settings" />
          </MenuItem>
          <hr />
          <MenuChoice<Theme>
            label={t`Theme`}
            value={theme}
            onChoose={(one) => void choose({ theme: one })}
            options={[
              { value: "auto", label: t`As the system`, icon: <Monitor aria-hidden="true" /> },
              { value: "light", label: t`Light`, icon: <Sun aria-hidden="true" /> },
              { value: "dark", label: t`Dark`, icon: <Moon aria-hidden="true" /> },
            ]}
          />
          <hr />
          <MenuChoice<Locale>
            label={t`Language`}
            value={i18n.locale as Locale}
            onChoose={(language) => void choose({ language })}
            options={[
              { value: "en", label: "English", lang: "en" },
              { value: "ja", label: "日本語", lang: "ja" },
            ]}
          />
          <hr />
          <MenuItem
            icon={<Upload aria-hidden="true" />}
            onClick={() => {
              close();
              onImport();
            }}
          >
            <Trans>Import OPML</Trans>
          </MenuItem>
          <a role="menuitem" tabIndex={-1} href="/api/export/opml" download onClick={() => close()}>
            <Download aria-hidden="true" />
            <Trans>Export OPML</Trans>
          </a>
          <MenuItem
            icon={<ListChecks aria-hidden="true" />}
            onClick={() => {
              close();
              runCommand("go.feeds");
            }}
          >
            <Trans>Subscriptions</Trans>
            <Key command="go.feeds" />
          </MenuItem>
          <MenuItem
            icon={<Funnel aria-hidden="true" />}
            onClick={() => {
              close();
              go("/rules");
            }}
          >
            <Trans>Rules and labels</Trans>
          </MenuItem>
          <MenuItem
            icon={<ChartColumn aria-hidden="true" />}
            onClick={() => {
              close();
              runCommand("go.stats");
            }}
          >
            <Trans>Statistics</Trans>
            <Key command="go.stats" />
          </MenuItem>
          <hr />
          <MenuItem
            icon={<LogOut aria-hidden="true" />}
            title={me.data?.user.email}
            onClick={() => {
              close();
              void signOut();
            }}
          >
            <Trans>Sign out</Trans>
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

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
      <Menu label={t`More for this list`} icon={<Ellipsis />} place="top-14 end-2">
        {(close) => {
          const then = (run: () => void) => () => {
            close();
            run();
          };
          return (
            <>
              <MenuItem
                icon={<RefreshCw aria-hidden="true" />}
                onClick={then(() => runCommand("feed.refresh"))}
              >
                {feed ? <Trans>Fetch now</Trans> : <Trans>Refresh</Trans>}
                <Key command="feed.refresh" />
              </MenuItem>
              <MenuItem
                icon={<CheckCheck aria-hidden="true" />}
                onClick={then(() => runCommand("list.markRead"))}
              >
                <Trans>Mark all as read</Trans>
                <Key command="list.markRead" />
              </MenuItem>
              {hasCursor && (
                <>
                  <MenuItem
                    icon={<ArrowUpToLine aria-hidden="true" />}
                    onClick={then(() => runCommand("list.markAbove"))}
                  >
                    <Trans>Mark above as read</Trans>
                    <Key command="list.markAbove" />
                  </MenuItem>
                  <MenuItem
                    icon={<ArrowDownToLine aria-hidden="true" />}
                    onClick={then(() => runCommand("list.markBelow"))}
                  >
                    <Trans>Mark below as read</Trans>
                    <Key command="list.markBelow" />
                  </MenuItem>
                </>
              )}
              {feed && (
                <>
                  <hr />
                  <MenuItem
                    icon={<Trash aria-hidden="true" />}
                    onClick={then(() => onUnsubscribe(feed))}
                  >
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

/** The key beside a menu entry; the entry's name is enough for a screen reader. */
function Key({ command }: { command: CommandId }) {
  return (
    <span aria-hidden="true" className="ms-auto">
      <KeyHint command={command} />
    </span>
  );
}
