import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { agreeToHost, assistQuery } from "@/data/assist";
import { useMe } from "@/data/me";
import { ErrorNote } from "@/ui/error-note";
import { Card } from "./parts";

/** The language model that the owner has set up: where texts go, what was used, and how to take the agreement back. */
export function Assistant() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const host = useMe().data?.assist?.host;
  const { data } = useQuery({ ...assistQuery(), enabled: !!host });
  const [error, setError] = useState<unknown>(null);
  if (!host || !data) return null;
  const { model, isAgreed, requests, tokenUsage } = data;
  const used = i18n.number(tokenUsage.monthlyUsed);
  const limit = i18n.number(tokenUsage.monthlyLimit);
  const change = (agrees: boolean) =>
    agreeToHost(host, agrees).then(() => client.invalidateQueries(assistQuery()), setError);
  return (
    <Card
      title={t`Assistant`}
      hint={
        isAgreed ? (
          <Trans>
            When you ask for a summary, the text of the article is sent to {host}, to the model{" "}
            {model}. You have agreed to that.
          </Trans>
        ) : (
          <Trans>
            Summaries are written by the model {model} at {host}. Nothing is sent there before you
            agree.
          </Trans>
        )
      }
    >
      <p>
        <Trans>
          {requests} requests this month, {used} of {limit} tokens.
        </Trans>
      </p>
      <button type="button" className="btn" onClick={() => void change(!isAgreed)}>
        {isAgreed ? <Trans>Withdraw agreement</Trans> : <Trans>Agree</Trans>}
      </button>
      {error ? <ErrorNote error={error} /> : null}
    </Card>
  );
}
