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

it.each([
  ["en", "rule", "command go.rules"],
  ["en", "today", "command go.today"],
  ["en", "import", "settings data"],
  ["en", "language", "settings display"],
  ["en", "badge", "settings offline"],
  ["en", "invit", "settings people"],
  ["en", "dead letters", "settings server"],
  ["ja", "ルール", "command go.rules"],
  ["ja", "今日", "command go.today"],
  ["ja", "インポート", "settings data"],
  ["ja", "言語", "settings display"],
  ["ja", "バッジ", "settings offline"],
  ["ja", "招待", "settings people"],
] as const)("finds by words, in %s: %s", async (locale, text, key) => {
  const all = await entriesIn(locale);
  expect(best(all, text)).toBe(key);
});

it("has nothing of the owner's for others", async () => {
  const keys = (await entriesIn("en", false)).map(({ key }) => key);
  expect(keys).not.toContain("settings server");
  expect(keys).not.toContain("settings people");
  expect(keys).not.toContain("command go.stats");
});
