import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { toApiError } from "@/data/api-error";
import {
  type DeadLetter,
  dropDeadLetter,
  retryDeadLetter,
  useDeadLetters,
} from "@/data/dead-letters";
import { errorWords } from "@/i18n/error-words";
import { clockTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { showToast } from "@/ui/toasts";

/** Messages that failed for good. Only the owner sees them, and what was asked of the queue is theirs to decide. */
export function DeadLetters() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const letters = useDeadLetters(true);
  const list = useRef<HTMLElement>(null);
  const now = useNow();

  // A row that goes hands the focus to the next one, else to the heading.
  const settle = async (letter: DeadLetter, deed: "retry" | "drop") => {
    const rows = letters.data?.deadLetters ?? [];
    const at = rows.indexOf(letter);
    try {
      if (deed === "retry") await retryDeadLetter(client, letter.id);
      else await dropDeadLetter(client, letter.id);
      showToast(deed === "retry" ? t`The message was sent again.` : t`The message was dropped.`);
      requestAnimationFrame(() => {
        const buttons = list.current?.querySelectorAll<HTMLElement>("[data-retry]") ?? [];
        const next = buttons[Math.min(at, buttons.length - 1)];
        (next ?? list.current?.querySelector<HTMLElement>("h2"))?.focus();
      });
    } catch (cause) {
      showToast(i18n._(errorWords(toApiError(cause)).says));
      await letters.refetch();
    }
  };

  const oldest = letters.data?.oldestAt ? clockTime(letters.data.oldestAt, now, i18n.locale) : "";
  const count = letters.data?.count ?? 0;
  return (
    <section className="card wide" aria-labelledby="dead" ref={list}>
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
          <CircleCheck aria-hidden="true" />
          <Trans>No message was given up.</Trans>
        </p>
      ) : (
        <>
          <p className="hint">
            <Trans>
              These messages to the crawler failed again and again. Send them once more when the
              cause is gone; scheduled ones are caught up with by themselves and can be dropped.
            </Trans>{" "}
            {oldest && <Trans>The oldest is from {oldest}.</Trans>}
          </p>
          <ul className="rows">
            {letters.data.deadLetters.map((letter) => (
              <Row key={letter.id} letter={letter} onSettle={(deed) => settle(letter, deed)} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface RowProps {
  letter: DeadLetter;
  onSettle: (deed: "retry" | "drop") => Promise<void>;
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
    scheduled: t`A scheduled run`,
    first: t`A first fetch`,
    refresh: t`A refresh`,
    tidy: t`The clean-up`,
  };
  const name = names[letter.kind] ?? t`A message nobody can read`;
  const sent = letter.sentAt ? clockTime(letter.sentAt, now, i18n.locale) : "";
  const run = async (deed: "retry" | "drop") => {
    if (busy) return;
    setBusy(true);
    await onSettle(deed);
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
            <Trans>It was tried as often as allowed, and left no reason.</Trans>
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
            <Trans>Drop it for good?</Trans>
          </legend>
          <button
            ref={sure}
            type="button"
            className="btn btn-bad"
            aria-disabled={busy}
            onClick={() => void run("drop")}
          >
            <Trans>Drop</Trans>
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
            <Trans>Drop</Trans>
          </button>
        </div>
      )}
    </li>
  );
}
