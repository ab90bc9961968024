import type { I18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import type { Condition, Rule } from "@/data/rules";

export const fields = ["title", "author", "content", "link", "category", "anywhere"] as const;
export const modes = ["any", "all", "phrase", "regexp", "search"] as const;

export function fieldName(field: Condition["field"], i18n: I18n): string {
  const names: Record<Condition["field"], string> = {
    title: t(i18n)`Title`,
    author: t(i18n)`Author`,
    content: t(i18n)`Text`,
    link: t(i18n)`Link`,
    category: t(i18n)`Category`,
    anywhere: t(i18n)`Anywhere`,
  };
  return names[field];
}

export function modeName(mode: Condition["mode"], i18n: I18n): string {
  const names: Record<Condition["mode"], string> = {
    any: t(i18n)`any word`,
    all: t(i18n)`all words`,
    phrase: t(i18n)`phrase`,
    regexp: t(i18n)`regular expression`,
    search: t(i18n)`search`,
  };
  return names[mode];
}

/** The actions of a rule in words: "hide, star, label “Later”". */
export function actionsText(
  rule: Pick<Rule, "actions">,
  labelName: (id: string) => string,
  i18n: I18n,
): string {
  const actions = rule.actions.map(({ type, labelId }) => {
    if (type === "hide") return t(i18n)`hide`;
    if (type === "read") return t(i18n)`mark as read`;
    if (type === "star") return t(i18n)`star`;
    if (type === "send") return t(i18n)`send to a webhook`;
    const name = labelName(labelId ?? "");
    return t(i18n)`label “${name}”`;
  });
  return new Intl.ListFormat(i18n.locale, { type: "conjunction" }).format(actions);
}

/** One condition in words: "Title: any of the words foo, bar". */
export function conditionText(condition: Condition, i18n: I18n): string {
  const field = fieldName(condition.field, i18n);
  const mode = modeName(condition.mode, i18n);
  const text = condition.pattern ?? (condition.words ?? []).join(", ");
  return condition.isNegated
    ? t(i18n)`${field} does not contain ${mode}: ${text}`
    : t(i18n)`${field} contains ${mode}: ${text}`;
}

/** The name of a rule, else its first condition. */
export function ruleName(rule: Rule, i18n: I18n): string {
  const [first] = rule.conditions;
  return rule.name || (first ? conditionText(first, i18n) : t(i18n)`Rule`);
}
