import { readFileSync } from "node:fs";
import { i18n } from "@lingui/core";
import { describe, expect, it } from "vitest";
import { namedCommands } from "@/keys/command-names";
import { messages as en } from "../../locales/en.po";
import { messages as ja } from "../../locales/ja.po";
import { messages as settingsEn } from "../../locales/settings/en.po";
import { messages as settingsJa } from "../../locales/settings/ja.po";
import { messages as watchesEn } from "../../locales/watches/en.po";
import { messages as watchesJa } from "../../locales/watches/ja.po";
import { pageErrors } from "./error-text";
import { activateLocale } from "./locale";

describe("catalogs", () => {
  it("hold the same messages, and some", () => {
    expect(Object.keys(en).length).toBeGreaterThan(200);
    expect(Object.keys(ja).sort()).toEqual(Object.keys(en).sort());
    expect(Object.keys(settingsJa).sort()).toEqual(Object.keys(settingsEn).sort());
    expect(Object.keys(watchesJa).sort()).toEqual(Object.keys(watchesEn).sort());
  });

  it("say the same in every part", () => {
    for (const [id, text] of [settingsJa, watchesJa].flatMap(Object.entries)) {
      if (id in ja) expect(text).toEqual(ja[id]);
    }
  });

  it.each(["en", "ja", "settings/en", "settings/ja", "watches/en", "watches/ja"])(
    "%s lacks no translation",
    (locale) => {
      const po = readFileSync(`locales/${locale}.po`, "utf8");
      expect(po.match(/^msgstr ""\n(?!")/gm) ?? []).toEqual([]);
      expect(po).not.toMatch(/^#~/m);
    },
  );

  // The server's sentences are held to the same by internal/api/codes_test.go.
  it.each(["ja", "settings/ja", "watches/ja"])(
    "%s writes words and brackets in one way",
    (locale) => {
      const po = readFileSync(`locales/${locale}.po`, "utf8");
      const japanese = [...po.matchAll(/^msgstr "(.*)"$/gm)].map((match) => match[1] as string);
      expect(japanese.length).toBeGreaterThan(100);
      // A switch of regular expressions is no bracket of a sentence.
      const others = japanese.filter((text) => /ブラウザー|[()]/.test(text.replaceAll("(?i)", "")));
      expect(others, "ブラウザ, and brackets as （）").toEqual([]);
    },
  );

  it("translate every command and every error", async () => {
    const errors = Object.values(pageErrors).flatMap((one) => [
      one.message,
      one.action ?? one.message,
    ]);
    const english = [...namedCommands.map(([, name]) => name), ...errors].map((one) => i18n._(one));
    await activateLocale("ja");
    const japanese = [...namedCommands.map(([, name]) => name), ...errors].map((one) =>
      i18n._(one),
    );
    for (const [index, text] of japanese.entries()) {
      expect(text, english[index]).toMatch(/[\u3041-\u30fa\u4e00-\u9fff]/);
      expect(text).not.toBe(english[index]);
    }
  });
});

it("the page words no error of the server", () => {
  const documented = readFileSync("../docs/use/codes.md", "utf8");
  const codes = [...documented.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1] as string);
  expect(codes.length).toBeGreaterThan(200);
  expect(codes.filter((code) => code in pageErrors)).toEqual([]);
});
