import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { type Rule, saveRules, tryRule } from "@/data/rules";
import { go } from "@/data/use-route";
import { fieldTexts, problemText } from "@/i18n/problem-text";
import { offerUndo } from "@/ui/undo";
import { ActionChoice } from "./action-choice";
import { ConditionRow } from "./condition-row";
import { type Draft, faultsOf, formPart, newCondition, ruleOf } from "./draft";
import { DryRun, type Trial, useOutcome } from "./dry-run";
import { ruleName } from "./rule-text";
import { ScopeChoice } from "./scope-choice";
import { keepUnsaved, takeUnsaved } from "./unsaved-draft";
import { useFaultText } from "./use-fault-text";

const mostConditions = 10;

/** Edits a rule: feeds, conditions and actions, with a dry run. */
export function RuleForm({ rules, begun }: { rules: readonly Rule[]; begun: Draft }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  // Read once: later changes of the rule elsewhere do not touch the form.
  const [first] = useState(begun);
  const [draft, setDraft] = useState(() => takeUnsaved(begun.id) ?? begun);
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map());
  const [trial, setTrial] = useState<Trial | null>(null);
  const [busy, setBusy] = useState<"try" | "save" | null>(null);
  const outcome = useOutcome(trial);
  const faultText = useFaultText();
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const offersUnsaved = useRef(true);
  const latest = useRef(draft);
  latest.current = draft;

  // Leaving without saving can be undone.
  useEffect(
    () => () => {
      const left = latest.current;
      if (!offersUnsaved.current || JSON.stringify(left) === JSON.stringify(first)) return;
      const restore = () => {
        keepUnsaved(left);
        go(`/rules?edit=${left.id === "" ? "new" : encodeURIComponent(left.id)}`);
      };
      offerUndo(t`Rule not saved`, restore, t`Keep editing`);
    },
    [first, t],
  );

  // The form may fill the screen: scrolls the result into view (rules.css).
  useEffect(() => {
    if (!trial) return;
    for (const part of form.current?.querySelectorAll(".trial, .outcome") ?? [])
      part.scrollIntoView({ block: "nearest" });
  }, [trial]);

  /** Shows faults and focuses the first; reports whether there are none. */
  const show = (faults: ReadonlyMap<string, string>) => {
    setWrong(faults);
    if (faults.size === 0) return true;
    requestAnimationFrame(() => {
      const place = form.current?.querySelector("[aria-invalid=true], [data-wrong] input");
      if (place instanceof HTMLElement) place.focus();
    });
    return false;
  };
  const check = () =>
    show(new Map([...faultsOf(draft)].map(([place, fault]) => [place, faultText(fault)])));
  const refuse = (cause: unknown) => {
    const fields = new Map(
      [...fieldTexts(cause)].map(([field, text]) => [formPart(field), text] as const),
    );
    show(fields.size > 0 ? fields : new Map([["rule", problemText(cause, i18n)]]));
  };

  const attempt = async () => {
    if (busy || !check()) return;
    setBusy("try");
    try {
      setTrial({ rule: ruleOf(draft), ...(await tryRule(ruleOf(draft))) });
    } catch (cause) {
      setTrial(null);
      refuse(cause);
    }
    setBusy(null);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || !check()) return;
    setBusy("save");
    const rule = ruleOf(draft);
    const isNew = rule.id === "";
    const before = rules;
    try {
      const list = isNew ? [...rules, rule] : rules.map((one) => (one.id === rule.id ? rule : one));
      await saveRules(client, list);
      offersUnsaved.current = false;
      go("/rules");
      const name = ruleName(rule, i18n);
      offerUndo(isNew ? t`${name} applies to new articles from now on` : t`${name} saved`, () =>
        saveRules(client, before),
      );
    } catch (cause) {
      setBusy(null);
      refuse(cause);
    }
  };

  return (
    <form ref={form} className="contents" onSubmit={(event) => void save(event)} noValidate>
      <section className="card rule-form" aria-label={t`Rule`}>
        <div className="field">
          <label htmlFor={`${id}-name`}>
            <Trans>Name (optional)</Trans>
          </label>
          <input
            id={`${id}-name`}
            maxLength={100}
            autoComplete="off"
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
            aria-invalid={wrong.has("name") || undefined}
            aria-describedby={`${id}-name-wrong`}
          />
          <Wrong id={`${id}-name-wrong`} text={wrong.get("name")} />
        </div>
        <ScopeChoice draft={draft} onChange={change} wrong={wrong.get("scope")} />
        <fieldset className="part">
          <legend>
            <Trans>Conditions</Trans>
          </legend>
          {draft.conditions.length > 1 && (
            <select
              className="select mb-2"
              aria-label={t`Match`}
              value={draft.match}
              onChange={(event) => change({ match: event.target.value as Draft["match"] })}
            >
              <option value="all">{t`All conditions`}</option>
              <option value="any">{t`Any condition`}</option>
            </select>
          )}
          <ul className="conditions">
            {draft.conditions.map((condition, at) => (
              <ConditionRow
                key={condition.key}
                number={at + 1}
                condition={condition}
                wrong={wrong.get(`conditions.${at}`)}
                onChange={(part) =>
                  change({
                    conditions: draft.conditions.map((one) =>
                      one.key === condition.key ? { ...one, ...part } : one,
                    ),
                  })
                }
                onRemove={
                  draft.conditions.length > 1
                    ? () =>
                        change({
                          conditions: draft.conditions.filter((one) => one.key !== condition.key),
                        })
                    : null
                }
              />
            ))}
          </ul>
          {draft.conditions.length < mostConditions && (
            <button
              type="button"
              className="btn"
              onClick={() => change({ conditions: [...draft.conditions, newCondition()] })}
            >
              <Plus size={16} />
              <Trans>Add condition</Trans>
            </button>
          )}
        </fieldset>
        <ActionChoice draft={draft} onChange={change} wrong={wrong.get("actions")} />
        <Wrong id={`${id}-wrong`} text={wrong.get("rule")} />
        <div className="ends">
          <button
            type="button"
            className="btn"
            aria-disabled={busy !== null}
            onClick={() => void attempt()}
          >
            <Trans>Preview</Trans>
          </button>
          <button type="button" className="btn ms-auto" onClick={() => go("/rules")}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-main" aria-disabled={busy !== null}>
            <Trans>Save</Trans>
          </button>
          {/* Always there: a live region that appears together with its text is not announced. */}
          <p role="status" className="outcome">
            {busy === "try" ? <Trans>Loading preview…</Trans> : outcome}
          </p>
        </div>
      </section>
      <DryRun trial={trial} />
    </form>
  );
}

function Wrong({ id, text }: { id: string; text: string | undefined }) {
  return (
    <p id={id} className="wrong empty:hidden" role="alert">
      {text}
    </p>
  );
}
