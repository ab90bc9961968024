import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import { type ProjectedCost, useProjectedCost } from "@/data/stats";
import { dollars, number } from "@/i18n/numbers";
import { DataTable } from "@/ui/data-table";
import { Asked } from "./asked";
import { byService, type Free, paid } from "./figures";
import { Limit } from "./limit";

/** The projected bill of a month in the cloud, with and without the free tier. */
export function Month() {
  const { t, i18n } = useLingui();
  const [chosen, setChosen] = useState("");
  const [free, setFree] = useState<Free>("always");
  const region = chosen || (i18n.locale === "ja" ? "ap-northeast-1" : "us-east-1");
  const cost = useProjectedCost(region);
  const choice = useId();
  const names: Record<Free, string> = {
    none: t`No free tier`,
    always: t`Free tier`,
    year: t`First year`,
  };
  return (
    <section className="card" aria-labelledby="month">
      <div className="card-head">
        <h2 id="month">
          <Trans>Monthly cloud cost</Trans>
        </h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row everywhere */}
        <div className="segments" role="group" aria-label={t`Free tier options`}>
          {(["none", "always", "year"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={free === one}
              onClick={() => setFree(one)}
            >
              {names[one]}
            </button>
          ))}
        </div>
        <label className="region" htmlFor={choice}>
          <Trans>Region</Trans>
          <select id={choice} value={region} onChange={(event) => setChosen(event.target.value)}>
            {(cost.data?.regions ?? [region]).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      <Asked query={cost}>
        {(data) => (
          <>
            {data.limit && <Limit limit={data.limit} />}
            {data.basisDays === 0 ? (
              <p className="hint">
                <Trans>Available tomorrow, after the first full day of crawling.</Trans>
              </p>
            ) : (
              <Bill cost={data} free={free} />
            )}
          </>
        )}
      </Asked>
    </section>
  );
}

function Bill({ cost, free }: { cost: ProjectedCost; free: Free }) {
  const { t, i18n } = useLingui();
  const money = (value: number) => dollars(value, i18n.locale);
  const n = (value: number) => number(value, i18n.locale);
  const total = paid(cost.total, free);
  const uses: Record<string, string> = {
    DynamoDB: t`database`,
    S3: t`feed storage`,
    SQS: t`queue`,
    Lambda: t`compute`,
    Scheduler: t`schedules`,
    "API Gateway": t`API requests`,
    CloudFront: t`delivery`,
    Transfer: t`outgoing requests`,
    CloudWatch: t`logs`,
  };
  return (
    <>
      <p className="big" aria-live="polite">
        {money(total)} <small>{total === 0 ? <Trans>within the free tier</Trans> : "USD"}</small>
      </p>
      <p className="hint">
        <Plural
          value={cost.basisDays}
          one="Projected from # full day of crawling and one person opening 20 lists and 60 articles a day. 30 days, before tax."
          other="Projected from # full days of crawling and one person opening 20 lists and 60 articles a day. 30 days, before tax."
        />{" "}
        <Trans>Running Ruri on your own machine costs none of this.</Trans>
      </p>
      <DataTable
        className="bill"
        columns={[
          {
            title: t`Service`,
            isName: true,
            cell: ({ service }) => (
              <>
                {service}
                {uses[service] && <span className="hint"> {uses[service]}</span>}
              </>
            ),
          },
          {
            title: t`USD per month`,
            className: "num",
            cell: ({ service: _, ...sums }) =>
              paid(sums, free) > 0 ? (
                money(paid(sums, free))
              ) : (
                <span className="free">
                  <Trans>free</Trans>
                </span>
              ),
          },
        ]}
        rows={byService(cost.lines)}
        keyOf={({ service }) => service}
      />
      <details className="prices">
        <summary>
          <Trans>Prices used</Trans>
        </summary>
        <DataTable
          scrolls
          columns={[
            {
              title: t`Priced item`,
              isName: true,
              cell: ({ price }) => <code>{price}</code>,
              attributes: () => ({ lang: "en" }),
            },
            { title: "USD", className: "num", cell: ({ unitUSD }) => unitUSD },
            { title: t`Per month`, className: "num", cell: ({ quantity }) => n(quantity) },
            {
              title: t`Free`,
              className: "num roomy",
              cell: (line) => n(line.alwaysFree + (free === "year" ? line.firstYearFree : 0)),
            },
            {
              title: t`Unit`,
              className: "roomy",
              cell: ({ unit }) => unit,
              attributes: () => ({ lang: "en" }),
            },
            {
              title: t`As of`,
              cell: ({ source, seen }) => (
                <a href={source} target="_blank" rel="noopener noreferrer">
                  {seen}
                </a>
              ),
            },
          ]}
          rows={cost.lines}
          keyOf={(line) => line.service + line.what}
        />
      </details>
    </>
  );
}
