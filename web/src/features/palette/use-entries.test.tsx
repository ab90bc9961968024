import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { search } from "@/data/name-match";
import { setSettings } from "@/data/settings";
import { activateLocale } from "@/i18n/locale";
import { namedCommands } from "@/keys/command-names";
import { settingsPages } from "@/keys/settings-names";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { type Entry, useEntries } from "./use-entries";

let entries: Entry[] = [];
function Probe({ expected }: { expected: string }) {
  entries = useEntries();
  return entries.some(({ key }) => key === expected) ? "there" : null;
}

async function entriesIn(locale: "en" | "ja", isOwner = true): Promise<Entry[]> {
  const me = aBeginning({ isOwner });
  const preferences = { ...me.preferences, language: locale };
  mockServer({ "GET /api/me": { body: { ...me, preferences } } });
  await setSettings({ language: locale });
  await activateLocale(locale);
  renderApp(<Probe expected={isOwner ? "settings server" : "settings display"} />);
  await screen.findByText("there");
  return entries;
}

const best = (all: Entry[], text: string) => search(all, text)[0]?.key;

it.each(["en", "ja"] as const)(
  "knows every command and page of settings by its name (%s)",
  async (locale) => {
    const all = await entriesIn(locale);
    const keys = all.map(({ key }) => key);
    for (const [id] of namedCommands) if (id !== "palette") expect(keys).toContain(`command ${id}`);
    for (const { id } of settingsPages) expect(keys).toContain(`settings ${id}`);
    for (const { key, name } of all)
      expect(
        search(all, name)
          .slice(0, 2)
          .map((one) => one.key),
        name,
      ).toContain(key);
  },
);

/** What people type, with what is to be the first entry. */
const everyday = {
  en: {
    rule: "command go.rules",
    today: "command go.today",
    import: "settings data",
    export: "settings data",
    backup: "settings data",
    language: "settings display",
    dark: "settings display",
    font: "settings display",
    badge: "settings offline",
    download: "settings offline",
    password: "settings account",
    "log out": "settings devices",
    keyboard: "command help",
    alerts: "settings notifications",
    images: "command article.images",
    mute: "command go.feeds",
    unsubscribe: "command go.feeds",
    filters: "command go.rules",
    price: "command go.watches",
    subscribe: "command feed.add",
    update: "command feed.refresh",
    history: "command go.recent",
    summary: "command article.about",
    invit: "settings people",
    "dead letters": "settings server",
  },
  ja: {
    ルール: "command go.rules",
    今日: "command go.today",
    インポート: "settings data",
    バックアップ: "settings data",
    言語: "settings display",
    暗い: "settings display",
    文字: "command text.larger",
    フォント: "settings display",
    バッジ: "settings offline",
    ダウンロード: "settings offline",
    パスワード: "settings account",
    ログアウト: "settings devices",
    キーボード: "settings keys",
    通知: "settings notifications",
    画像: "command article.images",
    ミュート: "command go.feeds",
    購読: "command go.feeds",
    フィルター: "command go.rules",
    値段: "command go.watches",
    更新: "command feed.refresh",
    履歴: "command go.recent",
    要約: "command article.about",
    検索: "command search",
    招待: "settings people",
  },
};

it.each(["en", "ja"] as const)("finds by everyday words, in %s", async (locale) => {
  const all = await entriesIn(locale);
  for (const [text, key] of Object.entries(everyday[locale]))
    expect(best(all, text), text).toBe(key);
});

it("has nothing of the owner's for others", async () => {
  const keys = (await entriesIn("en", false)).map(({ key }) => key);
  expect(keys).not.toContain("settings server");
  expect(keys).not.toContain("settings people");
  expect(keys).not.toContain("command go.stats");
});
