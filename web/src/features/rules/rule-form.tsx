import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { type Rule, saveRules, tryRule } from "@/data/rules";
import { go } from "@/data/use-route";
import { fieldTexts, problemText } from "@/i18n/problem-text";
import { showUndo } from "@/ui/toasts";
import { ActionChoice } from "./action-choice";
import { ConditionRow } from "./condition-row";
import { type Draft, faultsOf, newCondition, placeOf, ruleOf } from "./draft";
import { dropDraft, takeDropped } from "./dropped";
import { DryRun, type Trial, useOutcome } from "./dry-run";
import { ScopeChoice } from "./scope-choice";
import { useFaultText } from "./use-fault-text";
import { ruleName } from "./words";

const mostConditions = 10;

/** A rule as a form: where it looks, for what, and what it does; tried on what is there before it is saved. */
export function RuleForm({ rules, begun }: { rules: readonly Rule[]; begun: Draft }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  // Taken once: the form is the person's from here on.
  const [first] = useState(begun);
  const [draft, setDraft] = useState(() => takeDropped(begun.id) ?? begun);
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map());
  const [trial, setTrial] = useState<Trial | null>(null);
  const [busy, setBusy] = useState<"try" | "save" | null>(null);
  const outcome = useOutcome(trial);
  const faultText = useFaultText();
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }));
  const keepsUnsaved = useRef(true);
  const latest = useRef(draft);
  latest.current = draft;

  // Leaving without saving is no loss: it can be taken back like anything else.
  useEffect(
    () => () => {
      const left = latest.current;
      if (!keepsUnsaved.current || JSON.stringify(left) === JSON.stringify(first)) return;
      showUndo(t`The rule was not saved.`, t`Bring it back`, () => {
        dropDraft(left);
        go(`/rules?edit=${left.id === "" ? "new" : encodeURIComponent(left.id)}`);
      });
    },
    [first, t],
  );

  // The form may fill the screen: the answer comes into view, with the button that asked for it (rules.css).
  useEffect(() => {
    if (!trial) return;
    for (const part of form.current?.querySelectorAll(".trial, .outcome") ?? [])
      part.scrollIntoView({ block: "nearest" });
  }, [trial]);

  /** True when the form has nothing to complain of; else the focus is where the first complaint is. */
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
      [...fieldTexts(cause)].map(([field, text]) => [placeOf(field), text] as const),
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
      keepsUnsaved.current = false;
      go("/rules");
      const name = ruleName(rule, i18n);
      showUndo(
        isNew ? t`${name} holds for what arrives from now on.` : t`${name} was changed.`,
        t`Undo`,
        () => void saveRules(client, before).catch(() => undefined),
      );
    } catch (cause) {
      setBusy(null);
      refuse(cause);
    }
  };

  return (
    <form ref={form} className="contents" onSubmit={(event) => void save(event)} noValidate>
      <section className="card rule-form" aria-label={t`The rule`}>
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
            <Trans>What it looks for</Trans>
          </legend>
          {draft.conditions.length > 1 && (
            <select
              className="select mb-2"
              aria-label={t`How many of the conditions must hold`}
              value={draft.match}
              onChange={(event) => change({ match: event.target.value as Draft["match"] })}
            >
              <option value="all">{t`all of these must hold`}</option>
              <option value="any">{t`one of these is enough`}</option>
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
              <Plus size={16} aria-hidden="true" />
              <Trans>Another condition</Trans>
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
            <Trans>Try it</Trans>
          </button>
          <button type="button" className="btn ms-auto" onClick={() => go("/rules")}>
            <Trans>Cancel</Trans>
          </button>
          <button type="submit" className="btn btn-main" aria-disabled={busy !== null}>
            <Trans>Save</Trans>
          </button>
          {/* Always there: a live region that appears together with its text is not announced. */}
          <p role="status" className="outcome">
            {busy === "try" ? <Trans>Trying…</Trans> : outcome}
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
