import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Funnel, Play, Trash } from "lucide-react";
import { useMemo, useState } from "react";
import { feedTitle, useFeedsById } from "@/data/feeds";
import { folderPaths } from "@/data/folder-paths";
import { applyRule, type Rule, saveRules } from "@/data/rules";
import { useKnownTree } from "@/data/tree";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { offerUndo } from "@/ui/undo";
import { actionsText, conditionText, ruleName } from "./rule-text";

/** The rules in the order in which they are applied. */
export function RulesCard({ rules }: { rules: readonly Rule[] }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const [busy, setBusy] = useState<string | null>(null);

  const save = async (list: readonly Rule[], text?: string) => {
    try {
      await saveRules(client, list);
      if (text) offerUndo(text, () => saveRules(client, rules));
    } catch (cause) {
      showError(cause);
    }
  };
  const move = (rule: Rule, step: 1 | -1) => {
    const list = rules.filter((one) => one.id !== rule.id);
    list.splice(rules.indexOf(rule) + step, 0, rule);
    void save(list);
  };
  const toggle = (rule: Rule) => {
    const name = ruleName(rule, i18n);
    void save(
      rules.map((one) => (one.id === rule.id ? { ...one, isEnabled: !one.isEnabled } : one)),
      rule.isEnabled ? t`${name} turned off` : t`${name} turned on`,
    );
  };
  const remove = (rule: Rule) => {
    const name = ruleName(rule, i18n);
    void save(
      rules.filter((one) => one.id !== rule.id),
      t`${name} deleted`,
    );
  };
  const apply = async (rule: Rule) => {
    if (busy) return;
    setBusy(rule.id);
    try {
      const { hidden, markedRead, starred, labelled, undo } = await applyRule(client, rule.id);
      const parts = [
        hidden > 0 && t`${plural(hidden, { one: "# hidden", other: "# hidden" })}`,
        markedRead > 0 &&
          t`${plural(markedRead, { one: "# marked as read", other: "# marked as read" })}`,
        starred > 0 && t`${plural(starred, { one: "# starred", other: "# starred" })}`,
        labelled > 0 && t`${plural(labelled, { one: "# labelled", other: "# labelled" })}`,
      ].filter((part) => part !== false);
      const text = new Intl.ListFormat(i18n.locale, { type: "conjunction" }).format(parts);
      if (parts.length === 0) showToast(t`No unread articles match`);
      else if (undo) offerUndo(text, undo, t`Undo`);
      else showToast(text);
    } catch (cause) {
      showError(cause);
    }
    setBusy(null);
  };

  return (
    <section className="card" aria-labelledby="rules">
      <h2 id="rules">
        <Trans>Rules</Trans> {rules.length > 0 && <span className="count">{rules.length}</span>}
      </h2>
      {rules.length === 0 ? (
        <div className="state">
          <Funnel />
          <p className="title">
            <Trans>No rules yet</Trans>
          </p>
          <p>
            <Trans>Rules hide, star, label or mark new articles as read automatically.</Trans>
          </p>
          <Link href="/rules?edit=new" className="btn btn-main">
            <Trans>New rule</Trans>
          </Link>
        </div>
      ) : (
        <>
          <p className="hint">
            <Trans>Rules run from top to bottom on every new article.</Trans>
          </p>
          <ol className="rule-list">
            {rules.map((rule, at) => {
              const name = ruleName(rule, i18n);
              return (
                <li key={rule.id || at} data-row>
                  <label className="box">
                    <input
                      type="checkbox"
                      aria-label={t`${name}: on`}
                      checked={rule.isEnabled}
                      onChange={() => toggle(rule)}
                    />
                  </label>
                  <RuleText rule={rule} name={name} />
                  <div className="tools">
                    <IconButton
                      label={t`Move up: ${name}`}
                      icon={<ArrowUp />}
                      disabled={at === 0}
                      onClick={() => move(rule, -1)}
                    />
                    <IconButton
                      label={t`Move down: ${name}`}
                      icon={<ArrowDown />}
                      disabled={at === rules.length - 1}
                      onClick={() => move(rule, 1)}
                    />
                    <IconButton
                      label={t`Apply to unread articles: ${name}`}
                      icon={<Play />}
                      aria-disabled={busy !== null || !rule.isEnabled}
                      onClick={() => rule.isEnabled && void apply(rule)}
                    />
                    <IconButton
                      label={t`Delete: ${name}`}
                      icon={<Trash />}
                      onClick={() => remove(rule)}
                    />
                  </div>
                </li>
              );
            })}
          </ol>
        </>
      )}
    </section>
  );
}

function RuleText({ rule, name }: { rule: Rule; name: string }) {
  const { t, i18n } = useLingui();
  const { folders, labels } = useKnownTree();
  const feeds = useFeedsById();
  const places = useMemo(() => {
    const labelOf = new Map(folderPaths(folders).map(({ id, label }) => [id, label]));
    return [
      ...rule.folders.flatMap((id) => labelOf.get(id) ?? []),
      ...rule.feeds.flatMap((id) => {
        const feed = feeds.get(id);
        return feed ? feedTitle(feed) : [];
      }),
    ];
  }, [rule, folders, feeds]);
  const joined = new Intl.ListFormat(i18n.locale, {
    type: rule.match === "any" ? "disjunction" : "conjunction",
  }).format(rule.conditions.map((condition) => conditionText(condition, i18n)));
  const actions = actionsText(
    rule,
    (id) => labels.find((label) => label.id === id)?.name ?? t`deleted label`,
    i18n,
  );
  const shown = places.slice(0, 3).join(", ");
  const more = places.length - 3;
  return (
    <div className="text">
      <Link href={`/rules?edit=${encodeURIComponent(rule.id)}`} className="name">
        {name}
      </Link>
      <p>
        {(rule.name !== "" || rule.conditions.length > 1) && `${joined} `}→ {actions}
      </p>
      <p className="hint">
        {rule.feeds.length + rule.folders.length === 0
          ? t`in all feeds`
          : more > 0
            ? t`in ${shown} and ${more} more`
            : t`in ${shown}`}
        {rule.stop && ` · ${t`stops processing more rules`}`}
        {!rule.isEnabled && ` · ${t`Off`}`}
      </p>
    </div>
  );
}
