import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Funnel, Play, Trash } from "lucide-react";
import { useMemo, useState } from "react";
import { feedTitle, useFeedsById } from "@/data/feeds";
import { folderPaths } from "@/data/folder-paths";
import { applyRule, type Rule, saveRules } from "@/data/rules";
import { useKnownTree } from "@/data/tree";
import { problemText } from "@/i18n/problem-text";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { showToast, showUndo } from "@/ui/toasts";
import { conditionText, deedsOf, ruleName } from "./words";

/** The rules in the order in which they are carried out. */
export function RulesCard({ rules }: { rules: readonly Rule[] }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const [busy, setBusy] = useState<string | null>(null);

  const save = async (list: readonly Rule[], said?: string, back?: readonly Rule[]) => {
    try {
      await saveRules(client, list);
      if (said && back) {
        showUndo(said, t`Undo`, () => {
          saveRules(client, back).catch((cause) => showToast(problemText(cause, i18n)));
        });
      }
    } catch (cause) {
      showToast(problemText(cause, i18n));
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
      rule.isEnabled ? t`${name} is switched off.` : t`${name} is switched on.`,
      rules,
    );
  };
  const remove = (rule: Rule) => {
    const name = ruleName(rule, i18n);
    void save(
      rules.filter((one) => one.id !== rule.id),
      t`${name} was deleted.`,
      rules,
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
      const said = new Intl.ListFormat(i18n.locale, { type: "conjunction" }).format(parts);
      if (parts.length === 0) showToast(t`No unread item is matched.`);
      else if (undo) {
        showUndo(said, t`Undo the marks`, () => {
          undo().catch((cause) => showToast(problemText(cause, i18n)));
        });
      } else showToast(said);
    } catch (cause) {
      showToast(problemText(cause, i18n));
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
          <Funnel aria-hidden="true" />
          <p className="title">
            <Trans>There are no rules yet</Trans>
          </p>
          <p>
            <Trans>A rule hides, marks, stars or labels new items by their words.</Trans>
          </p>
          <Link href="/rules?edit=new" className="btn btn-main">
            <Trans>New rule</Trans>
          </Link>
        </div>
      ) : (
        <>
          <p className="hint">
            <Trans>They are carried out from the top on every item that arrives.</Trans>
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
                      label={t`Up: ${name}`}
                      icon={<ArrowUp />}
                      disabled={at === 0}
                      onClick={() => move(rule, -1)}
                    />
                    <IconButton
                      label={t`Down: ${name}`}
                      icon={<ArrowDown />}
                      disabled={at === rules.length - 1}
                      onClick={() => move(rule, 1)}
                    />
                    <IconButton
                      label={t`Carry out on what is unread: ${name}`}
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
    const paths = new Map(folderPaths(folders).map(({ id, path }) => [id, path]));
    return [
      ...rule.folders.flatMap((id) => paths.get(id) ?? []),
      ...rule.feeds.flatMap((id) => {
        const feed = feeds.get(id);
        return feed ? feedTitle(feed) : [];
      }),
    ];
  }, [rule, folders, feeds]);
  const joined = new Intl.ListFormat(i18n.locale, {
    type: rule.match === "any" ? "disjunction" : "conjunction",
  }).format(rule.conditions.map((condition) => conditionText(condition, i18n)));
  const deeds = deedsOf(
    rule,
    (id) => labels.find((label) => label.id === id)?.name ?? t`a deleted label`,
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
        {(rule.name !== "" || rule.conditions.length > 1) && `${joined} `}→ {deeds}
      </p>
      <p className="hint">
        {rule.feeds.length + rule.folders.length === 0
          ? t`in all feeds`
          : more > 0
            ? t`in ${shown} and ${more} more`
            : t`in ${shown}`}
        {rule.stop && ` · ${t`later rules do not look at it`}`}
        {!rule.isEnabled && ` · ${t`switched off`}`}
      </p>
    </div>
  );
}
