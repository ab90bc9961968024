import { Trans, useLingui } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import { type Assisted, type AssistKind, agreeToHost, askAssistant } from "@/data/assist";
import { useMe } from "@/data/me";
import type { ItemId } from "@/data/types";
import { errorText } from "@/i18n/error-text";
import { Dialog } from "@/ui/dialog";
import { ErrorNote } from "@/ui/error-note";
import { IconButton } from "@/ui/icon-button";
import { Note } from "@/ui/note";
import "./assist-panel.css";

/** What a second try ends with as well. */
const hopeless = new Set(["assist_no_text", "assist_off"]);

interface Props {
  id: ItemId;
  /** The text of the page is shown, so that it is what is asked about. */
  fullText: boolean;
  lang: string;
  onClose: () => void;
}

/**
 * What the article is about: its key sentences, at once and without a model. A model is asked when its button is pressed,
 * and the key sentences stay until it answers.
 */
export function AssistPanel({ id, fullText, lang, onClose }: Props) {
  const { t, i18n } = useLingui();
  const by = useMe().data?.assist;
  const hasModel = !!by?.host;
  const [answer, setAnswer] = useState<Assisted | null>(null);
  const [part, setPart] = useState("");
  const [waiting, setWaiting] = useState<AssistKind | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  // What needs the person's word first: the host, or a private article.
  const [asking, setAsking] = useState<{ kind: AssistKind; isPrivate: boolean } | null>(null);
  const request = useRef<AbortController | null>(null);
  const wanted = useRef<AssistKind>("sentences");

  const ask = (kind: AssistKind, evenPrivate = false) => {
    wanted.current = kind;
    request.current?.abort();
    const controller = new AbortController();
    request.current = controller;
    const { signal } = controller;
    setError(null);
    setPart("");
    setWaiting(kind);
    const language = i18n.locale === "ja" ? "ja" : "en";
    askAssistant(id, { kind, language, fullText, evenPrivate }, signal, setPart)
      .then((whole) => {
        setPart("");
        setAnswer(whole);
      })
      .catch((cause: unknown) => {
        if (signal.aborted) return;
        const failed = toApiError(cause);
        const isPrivate = failed.code === "assist_private";
        if (isPrivate || failed.code === "assist_not_agreed") setAsking({ kind, isPrivate });
        else setError(failed);
      })
      .finally(() => {
        if (!signal.aborted) setWaiting(null);
      });
  };
  const first = useRef(ask);
  // Once for each text: the buttons ask again.
  useEffect(() => {
    first.current("sentences");
    return () => request.current?.abort();
  }, []);

  const agree = async ({ kind, isPrivate }: NonNullable<typeof asking>) => {
    setAsking(null);
    try {
      if (!isPrivate && by?.host) await agreeToHost(by.host, true);
      ask(kind, isPrivate);
    } catch (cause) {
      setError(toApiError(cause));
    }
  };

  const isHopeless = hopeless.has(error?.code ?? "");
  const isModel = answer !== null && !answer.isExtract;
  const shown = part || answer?.text || "";
  const title = {
    sentences: t`Key sentences`,
    summary: t({ message: "Summary", context: "of an article" }),
    bullets: t`Key points`,
  }[part && waiting ? waiting : (answer?.kind ?? "sentences")];
  return (
    <section className="about" aria-label={title} lang={i18n.locale}>
      <header>
        <h2>{title}</h2>
        {hasModel && !isHopeless && (
          <span className="about-kinds">
            <Ask kind="summary" now={answer?.kind} waiting={waiting} onAsk={ask}>
              <Trans>Summarize</Trans>
            </Ask>
            <Ask kind="bullets" now={answer?.kind} waiting={waiting} onAsk={ask}>
              <Trans>List the points</Trans>
            </Ask>
          </span>
        )}
        <IconButton label={t`Close`} icon={<X />} onClick={onClose} />
      </header>
      <div aria-live="polite" aria-busy={waiting !== null}>
        {answer?.state === "failed" && (
          <Note kind="warn">
            {answer.message}
            {!answer.nextAt && (
              <div className="mt-2">
                <button type="button" className="btn" onClick={() => ask(wanted.current)}>
                  <Trans>Try again</Trans>
                </button>
              </div>
            )}
          </Note>
        )}
        {error &&
          (isHopeless ? (
            <p className="about-note">{errorText(error, i18n).message}</p>
          ) : (
            <ErrorNote error={error} onRetry={() => ask(wanted.current)} />
          ))}
        {shown && <Lines text={shown} lang={part || isModel ? i18n.locale : lang} />}
        {waiting && (waiting !== "sentences" || !answer) && (
          <p className="about-note">
            {waiting === "sentences" ? (
              <Trans>Reading the article…</Trans>
            ) : (
              <Trans>{by?.model} is reading the article…</Trans>
            )}
          </p>
        )}
        {answer && !waiting && <Origin answer={answer} />}
      </div>
      {asking && by?.host && (
        <Dialog title={t`Send the article to a language model?`} onClose={() => setAsking(null)}>
          <p>
            {asking.isPrivate ? (
              <Trans>
                This article comes from a private feed. Its text would be sent to {by.host}.
              </Trans>
            ) : (
              <Trans>
                When you ask for a summary, the text of the article is sent to {by.host}, where the
                model {by.model} reads it. Nothing is sent unless you press the button. You can
                withdraw this in the settings.
              </Trans>
            )}
          </p>
          <div className="mt-4 flex flex-wrap gap-2">
            <button type="button" className="btn" onClick={() => setAsking(null)}>
              <Trans>Cancel</Trans>
            </button>
            <button
              type="button"
              className="btn btn-main"
              data-first
              onClick={() => void agree(asking)}
            >
              {asking.isPrivate ? <Trans>Send it</Trans> : <Trans>Agree and continue</Trans>}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

interface AskProps {
  kind: AssistKind;
  now: AssistKind | undefined;
  waiting: AssistKind | null;
  onAsk: (kind: AssistKind) => void;
  children: React.ReactNode;
}

function Ask({ kind, now, waiting, onAsk, children }: AskProps) {
  return (
    <button
      type="button"
      className="btn"
      aria-pressed={(waiting ?? now) === kind}
      onClick={() => onAsk(kind)}
    >
      {children}
    </button>
  );
}

/** Lines of text: nothing in it is markup. */
function Lines({ text, lang }: { text: string; lang: string }) {
  const lines = text.split("\n");
  if (lines.length === 1 && !text.startsWith("- ")) {
    return (
      <p dir="auto" lang={lang}>
        {text}
      </p>
    );
  }
  return (
    <ul dir="auto" lang={lang}>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
        <li key={at}>{line.replace(/^- /, "")}</li>
      ))}
    </ul>
  );
}

/** Where the text comes from, and what it cost. */
function Origin({ answer }: { answer: Assisted }) {
  const { i18n } = useLingui();
  const number = (n: number) => i18n.number(n);
  const { thisRequest, monthlyUsed, monthlyLimit } = answer.tokenUsage;
  const shown = answer.text.split("\n").length;
  return (
    <p className="about-note">
      <span>
        {answer.isExtract ? (
          <Trans>
            {shown} of {answer.sentences} sentences of the article, selected automatically. Nothing
            has been rewritten.
          </Trans>
        ) : (
          <Trans>
            Written by {answer.by.model} at {answer.by.host}. It may be wrong.
          </Trans>
        )}
      </span>
      {answer.isTruncated && (
        <span>
          <Trans>The article or the answer was too long for the model and has been cut.</Trans>
        </span>
      )}
      {monthlyLimit > 0 && (!answer.isExtract || answer.state === "failed") && (
        <span>
          <Trans>
            {number(thisRequest)} tokens, {number(monthlyUsed)} of {number(monthlyLimit)} this
            month.
          </Trans>
        </span>
      )}
    </p>
  );
}
