import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { CircleHelp, Command, LogOut, Monitor, Moon, Settings, Sun } from "lucide-react";
import { useMe } from "@/data/me";
import { setSettings, useSetting } from "@/data/settings";
import type { Locale } from "@/i18n/locale";
import { runCommand } from "@/keys/use-command";
import { Menu, MenuChoice, MenuItem } from "@/ui/menu";
import { showError } from "@/ui/show-error";
import type { Theme } from "@/ui/theme";
import { MenuKey } from "./menu-key";

export function SettingsMenu() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const me = useMe();
  const theme = useSetting("theme");
  const set = (patch: Parameters<typeof setSettings>[0]) =>
    void setSettings(patch).catch(showError);

  const signOut = async () => {
    try {
      const { logout } = await import("@/data/logout");
      await logout(client);
    } catch (cause) {
      showError(cause);
    }
  };

  return (
    <Menu label={t`Settings`} icon={<Settings />} place="bottom-14 end-2">
      {(close) => (
        <>
          <MenuItem
            icon={<Settings />}
            onClick={() => {
              close();
              runCommand("go.settings");
            }}
          >
            <Trans>All settings</Trans>
            <MenuKey command="go.settings" />
          </MenuItem>
          <hr />
          <MenuChoice<Theme>
            label={t`Theme`}
            value={theme}
            onChoose={(one) => set({ theme: one })}
            options={[
              { value: "auto", label: t`System`, icon: <Monitor /> },
              { value: "light", label: t`Light`, icon: <Sun /> },
              { value: "dark", label: t`Dark`, icon: <Moon /> },
            ]}
          />
          <hr />
          <MenuChoice<Locale>
            label={t`Language`}
            value={i18n.locale as Locale}
            onChoose={(language) => set({ language })}
            options={[
              { value: "en", label: "English", lang: "en" },
              { value: "ja", label: "日本語", lang: "ja" },
            ]}
          />
          <hr />
          <MenuItem
            icon={<Command />}
            onClick={() => {
              close();
              runCommand("palette");
            }}
          >
            <Trans>Jump to…</Trans>
            <MenuKey command="palette" />
          </MenuItem>
          <MenuItem
            icon={<CircleHelp />}
            onClick={() => {
              close();
              runCommand("help");
            }}
          >
            <Trans>Keyboard shortcuts</Trans>
            <MenuKey command="help" />
          </MenuItem>
          <hr />
          <MenuItem
            icon={<LogOut />}
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
