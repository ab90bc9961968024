import { expect, it } from "vitest";
import type { Rule } from "@/data/rules";
import { draftOf, faultsOf, formPart, newCondition, newDraft, ruleOf, wordsOf } from "./draft";

const rule: Rule = {
  id: "r1",
  name: "Noise",
  isEnabled: true,
  feeds: ["3"],
  folders: ["7"],
  match: "any",
  conditions: [
    { field: "title", mode: "any", isNegated: false, words: ["広告", "PR"] },
    { field: "author", mode: "phrase", isNegated: true, words: ["a, b"] },
    { field: "link", mode: "regexp", isNegated: false, pattern: "^https?://ads\\." },
    {
      field: "anywhere",
      mode: "search",
      isNegated: false,
      pattern: 'update, -"PR" title:桜',
      kana: "fold",
    },
  ],
  actions: [{ type: "hide" }, { type: "label", labelId: "4" }],
  stop: true,
};

it("comes out of the form as it went in", () => {
  expect(ruleOf(draftOf(rule))).toEqual(rule);
});

it("forgets the places that were chosen when it looks everywhere", () => {
  expect(ruleOf({ ...draftOf(rule), isScoped: false })).toMatchObject({ feeds: [], folders: [] });
});

it("takes words apart at commas of both scripts and at lines", () => {
  expect(wordsOf(" foo, 広告、PR，x y\n z ,, ")).toEqual(["foo", "広告", "PR", "x y", "z"]);
});

it("says what is missing, and where", () => {
  const empty = { ...newDraft(null), isScoped: true };
  expect([...faultsOf(empty)]).toEqual([
    ["scope", "scope"],
    ["conditions.0", "words"],
    ["actions", "actions"],
  ]);
  const pattern = { ...newCondition(), mode: "regexp" as const };
  expect(faultsOf({ ...draftOf(rule), conditions: [pattern] }).get("conditions.0")).toBe("pattern");
  expect(faultsOf(draftOf(rule)).size).toBe(0);
});

it("begins with the feed it is made for", () => {
  expect(newDraft("12")).toMatchObject({ isScoped: true, feeds: ["12"] });
});

it("finds the place of the server's complaints", () => {
  expect(formPart("rules[2].conditions[1].pattern")).toBe("conditions.1");
  expect(formPart("rules[0].conditions[0].words[3]")).toBe("conditions.0");
  expect(formPart("rules[0].actions[1].label")).toBe("actions");
  expect(formPart("rules[0].folders[0]")).toBe("scope");
  expect(formPart("rules[0].name")).toBe("name");
  expect(formPart("match")).toBe("rule");
});
