import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { Match, Rule, RulePart } from "@/data/rules";
import { useKnownTree } from "@/data/tree";
import { relativeTime } from "@/i18n/format";
import { itemName } from "@/i18n/item-name";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";
import { actionsText, fieldName } from "./rule-text";

export interface Trial {
  rule: Rule;
  itemsLookedAt: number;
  matches: Match[];
}

/** A sentence about what the rule would have done with the newest items; empty before the dry run. */
export function useOutcome(trial: Trial | null): string {
  const { t, i18n } = useLingui();
  const { labels } = useKnownTree();
  if (!trial) return "";
  const looked = trial.itemsLookedAt;
  const count = trial.matches.length;
  if (count === 0)
    return t`${plural(looked, { one: "No match in the newest article.", other: "No match in the newest # articles." })}`;
  const deeds = actionsText(
    trial.rule,
    (id) => labels.find((label) => label.id === id)?.name ?? "",
    i18n,
  );
  return t`Matches ${count} of the newest ${looked} articles: ${deeds}.`;
}

/** The items that the rule matches, with the matching text. */
export function DryRun({ trial }: { trial: Trial | null }) {
  if (!trial || trial.matches.length === 0) return null;
  return (
    <section className="card trial" aria-labelledby="trial">
      <h2 id="trial">
        <Trans>Preview</Trans>
      </h2>
      <ul className="trial-list">
        {trial.matches.map((match) => (
          <MatchRow key={match.item.id} match={match} />
        ))}
      </ul>
    </section>
  );
}

function MatchRow({ match: { item, parts } }: { match: Match }) {
  const { i18n } = useLingui();
  const now = useNow();
  const inTitle = parts.find((part) => part.field === "title");
  const rest = parts.filter((part) => part !== inTitle);
  return (
    <li>
      <p className="name" dir="auto" lang={textLang(item.lang, item.title, i18n.locale)}>
        {inTitle ? <Part part={inTitle} /> : itemName(item)}
      </p>
      {rest.map((part) => (
        <p key={`${part.field} ${part.before}`} lang={item.lang || undefined}>
          <span className="hint" lang={i18n.locale}>
            {fieldName(part.field, i18n)}:
          </span>{" "}
          <Part part={part} />
        </p>
      ))}
      <p className="hint">
        <bdi>{item.feedTitle}</bdi> · {relativeTime(item.publishedAt, now, i18n.locale)}
      </p>
    </li>
  );
}

function Part({ part }: { part: RulePart }) {
  return (
    <>
      {part.before}
      <mark>{part.match}</mark>
      {part.after}
    </>
  );
}
