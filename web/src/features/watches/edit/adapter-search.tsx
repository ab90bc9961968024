import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useId, useState } from "react";
import type { Adapter } from "@/data/adapters";
import { go } from "@/data/use-route";
import type { WatchQuery } from "@/data/watches";
import { minorOf } from "@/i18n/money";
import { searchPath } from "../place";

type Field = keyof WatchQuery;

interface Props {
  adapters: readonly Adapter[];
  /** That of the address which the person types. */
  proposed: Adapter | null;
}

/** The search of a site that the installation has an adapter for. */
export function AdapterSearch({ adapters, proposed }: Props) {
  const { t } = useLingui();
  const id = useId();
  const [chosen, setChosen] = useState("");
  const [values, setValues] = useState<Partial<Record<Field, string>>>({});
  const [isChecked, setChecked] = useState(false);
  const adapter = adapters.find(({ name }) => name === chosen) ?? proposed ?? adapters[0];
  if (!adapter) return null;
  const currency = adapter.currency ?? "";
  const amount = (name: "min" | "max") => minorOf(values[name] ?? "", currency);
  const isWrong = (name: Field) => (name === "min" || name === "max") && amount(name) === null;
  const labels: Record<Field, string> = {
    keyword: t`Search words`,
    category: t`Category`,
    min: t`Lowest price`,
    max: t`Highest price`,
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (adapter.asks.some(isWrong)) return;
    const query: WatchQuery = {};
    for (const name of adapter.asks) {
      if (name === "min" || name === "max") {
        const minor = amount(name);
        if (minor) query[name] = minor;
      } else {
        const text = values[name]?.trim();
        if (text) query[name] = text;
      }
    }
    go(searchPath(adapter.name, query));
  };

  return (
    <section className="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <Trans>Sites with an adapter</Trans>
      </h2>
      <form onSubmit={submit} noValidate className="address-form">
        <div className="field">
          <label htmlFor={`${id}-site`}>
            <Trans>Site</Trans>
          </label>
          <select
            id={`${id}-site`}
            className="select"
            value={adapter.name}
            onChange={(event) => setChosen(event.target.value)}
          >
            {adapters.map(({ name, hosts }) => (
              <option key={name} value={name}>
                {`${name} (${hosts[0]})`}
              </option>
            ))}
          </select>
        </div>
        <div className="pairs">
          {adapter.asks.map((name) => {
            const isAmount = name === "min" || name === "max";
            const isBad = isChecked && isWrong(name);
            const label = labels[name];
            return (
              <div key={name} className="field">
                <label htmlFor={`${id}-${name}`}>
                  {isAmount && currency ? t`${label} (${currency})` : label}
                </label>
                <input
                  id={`${id}-${name}`}
                  inputMode={isAmount ? "decimal" : "text"}
                  autoComplete="off"
                  maxLength={isAmount ? 16 : 200}
                  value={values[name] ?? ""}
                  aria-invalid={isBad || undefined}
                  aria-describedby={isBad ? `${id}-${name}-wrong` : undefined}
                  onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                />
                {isBad && (
                  <p id={`${id}-${name}-wrong`} className="wrong">
                    <Trans>Enter an amount, such as 9800.</Trans>
                  </p>
                )}
              </div>
            );
          })}
        </div>
        <div className="buttons">
          <button type="submit" className="btn">
            <Trans>Preview the search</Trans>
          </button>
        </div>
      </form>
    </section>
  );
}
