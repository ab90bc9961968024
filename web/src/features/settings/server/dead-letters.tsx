import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import {
  type DeadLetter,
  dropDeadLetter,
  retryDeadLetter,
  useDeadLetters,
} from "@/data/dead-letters";
import { clockTime } from "@/i18n/clock-time";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";

/** Messages that failed for good, to be retried or dropped; for the owner. */
export function DeadLetters() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const letters = useDeadLetters(true);
  const list = useRef<HTMLElement>(null);
  const now = useNow();

  // Moves the focus from a removed row to the next one, else to the heading.
  const settle = async (letter: DeadLetter, action: "retry" | "drop") => {
    const rows = letters.data?.deadLetters ?? [];
    const at = rows.indexOf(letter);
    try {
      if (action === "retry") await retryDeadLetter(client, letter.id);
      else await dropDeadLetter(client, letter.id);
      showToast(action === "retry" ? t`Message resent` : t`Message discarded`);
      requestAnimationFrame(() => {
        const buttons = list.current?.querySelectorAll<HTMLElement>("[data-retry]") ?? [];
        const next = buttons[Math.min(at, buttons.length - 1)];
        (next ?? list.current?.querySelector<HTMLElement>("h2"))?.focus();
      });
    } catch (cause) {
      showError(cause);
      await letters.refetch();
    }
  };

  const oldest = letters.data?.oldestAt ? clockTime(letters.data.oldestAt, now, i18n.locale) : "";
  const count = letters.data?.count ?? 0;
  return (
    <section className="card" aria-labelledby="dead" ref={list}>
      <h2 id="dead" tabIndex={-1}>
        <Trans>Dead letters</Trans>{" "}
        {count > 0 && (
          <span className="count">
            {count}
            {letters.data?.isMore && "+"}
          </span>
        )}
      </h2>
      {letters.isError && !letters.data ? (
        <ErrorNote error={letters.error} onRetry={() => void letters.refetch()} />
      ) : !letters.data ? (
        <div className="skeleton h-10" aria-hidden="true" />
      ) : count === 0 ? (
        <p className="fine">
          <CircleCheck />
          <Trans>No dead letters: nothing to do</Trans>
        </p>
      ) : (
        <>
          <p className="hint">
            <Trans>
              These crawler messages failed repeatedly. Resend them once the cause is fixed.
              Scheduled runs catch up on their own and can be discarded.
            </Trans>{" "}
            {oldest && <Trans>Oldest: {oldest}.</Trans>}
          </p>
          <ul className="rows">
            {letters.data.deadLetters.map((letter) => (
              <Row key={letter.id} letter={letter} onSettle={(action) => settle(letter, action)} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface RowProps {
  letter: DeadLetter;
  onSettle: (action: "retry" | "drop") => Promise<void>;
}

function Row({ letter, onSettle }: RowProps) {
  const { t, i18n } = useLingui();
  const now = useNow();
  const [busy, setBusy] = useState(false);
  const [asks, setAsks] = useState(false);
  const sure = useRef<HTMLButtonElement>(null);
  const drop = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  useEffect(() => {
    if (asks) sure.current?.focus();
    else if (wasAsked.current) drop.current?.focus();
    wasAsked.current = asks;
  }, [asks]);

  const names: Record<string, string> = {
    scheduled: t`Scheduled run`,
    first: t`First fetch`,
    refresh: t`Manual refresh`,
    tidy: t`Cleanup`,
  };
  const name = names[letter.kind] ?? t`Unreadable message`;
  const sent = letter.sentAt ? clockTime(letter.sentAt, now, i18n.locale) : "";
  const run = async (action: "retry" | "drop") => {
    if (busy) return;
    setBusy(true);
    await onSettle(action);
    setBusy(false);
  };
  return (
    <li>
      <div className="text">
        <p className="name">
          {name}
          {letter.feeds > 0 && (
            <span className="hint">
              {" "}
              · <Plural value={letter.feeds} one="# feed" other="# feeds" />
            </span>
          )}
        </p>
        <p className="why">
          {letter.reason === "max_receives" ? (
            <Trans>Retry limit reached. No reason was recorded.</Trans>
          ) : (
            <code>{letter.reason}</code>
          )}
        </p>
        <p className="hint">
          {[
            sent && t`sent ${sent}`,
            t`${plural(letter.receives, { one: "tried once", other: "tried # times" })}`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      {asks ? (
        <fieldset
          className="acts"
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            setAsks(false);
          }}
        >
          <legend>
            <Trans>Discard this message?</Trans>
          </legend>
          <button
            ref={sure}
            type="button"
            className="btn btn-bad"
            aria-disabled={busy}
            onClick={() => void run("drop")}
          >
            <Trans>Discard</Trans>
          </button>
          <button type="button" className="btn" onClick={() => setAsks(false)}>
            <Trans>Keep</Trans>
          </button>
        </fieldset>
      ) : (
        <div className="acts">
          <button
            data-retry
            type="button"
            className="btn"
            aria-disabled={busy}
            onClick={() => void run("retry")}
          >
            <Trans>Send again</Trans>
          </button>
          <button ref={drop} type="button" className="btn" onClick={() => setAsks(true)}>
            <Trans>Discard</Trans>
          </button>
        </div>
      )}
    </li>
  );
}
