import { useCallback, useEffect, useRef, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";
import {
  type Candidate,
  type Layout,
  type Preview,
  type PreviewRequest,
  previewWatch,
  type WatchFilter,
} from "@/data/watches";
import { type Part, partsOf } from "./fields";

/** What is tried on the kept page. */
interface Choice {
  /** As the server proposed it. */
  candidate: Candidate;
  /** As the person changed it. */
  layout: Layout;
  parts: readonly Part[];
}

/** What a layout finds that fits no row. */
const nothing = { rows: [], rowsFound: 0, rowsFitting: 0, nextUrl: null, choices: {} };

export type PreviewState = ReturnType<typeof usePreview>;

/** How long after the last change a layout is tried. */
const pause = 300;

/**
 * A page, the ways to read it, and what the chosen way finds. The page is fetched once; layouts and filters are tried on the
 * copy that the server keeps.
 */
export function usePreview(filter: WatchFilter, interval: number) {
  const [page, setPage] = useState<Preview | null>(null);
  const [choice, setChoice] = useState<Choice | null>(null);
  const [tried, setTried] = useState<Partial<Candidate> | null>(null);
  const [isLooking, setLooking] = useState(false);
  const [isTrying, setTrying] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const running = useRef<AbortController | null>(null);

  /** Fetches a page. */
  const look = useCallback(async (request: PreviewRequest): Promise<Preview | null> => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setLooking(true);
    setError(null);
    try {
      const found = await previewWatch(request, abort.signal);
      if (abort.signal.aborted) return null;
      setPage(found);
      setTried(null);
      const [best] = found.candidates;
      setChoice(best ? choiceOf(best) : null);
      return found;
    } catch (cause) {
      if (!abort.signal.aborted) setError(toApiError(cause));
      return null;
    } finally {
      if (!abort.signal.aborted) setLooking(false);
    }
  }, []);
  useEffect(() => () => running.current?.abort(), []);

  const choose = (candidate: Candidate) => {
    setTried(null);
    setError(null);
    setPage((now) => now && { ...now, canReadDetails: null });
    setChoice(choiceOf(candidate));
  };
  const setLayout = (layout: Layout) => setChoice((now) => now && { ...now, layout });

  const previewId = page?.previewId ?? null;
  const layout = choice?.layout ?? null;
  // By value: a filter is made anew with each render.
  const wanted = JSON.stringify([previewId, layout, filter, interval]);
  useEffect(() => {
    const [id, to, settings, minutes] = JSON.parse(wanted);
    if (id === null || to === null) return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      setTrying(true);
      try {
        const body = { previewId: id, layout: to, settings, interval: minutes };
        const answer = await previewWatch(body, abort.signal);
        if (abort.signal.aborted) return;
        const [found] = answer.candidates;
        const { host, warnings, canReadDetails } = answer;
        setPage(
          // What was tried once stays known while it is not asked for.
          (now) =>
            now && {
              ...now,
              host,
              warnings,
              canReadDetails: canReadDetails ?? now.canReadDetails,
            },
        );
        setTried(found ?? nothing);
        if (found) setChoice((now) => now && { ...now, parts: partsOf(found, now.parts) });
        setError(null);
      } catch (cause) {
        if (!abort.signal.aborted) setError(toApiError(cause));
      } finally {
        if (!abort.signal.aborted) setTrying(false);
      }
    }, pause);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted]);

  const isOwn = choice !== null && choice.layout !== choice.candidate.layout;
  return {
    page,
    /** The chosen way with the newest rows; null while there is none. */
    found: choice && {
      ...choice.candidate,
      ...tried,
      layout: choice.layout,
      source: choice.candidate.source,
      // A changed layout is the watch's own.
      adapter: isOwn ? null : choice.candidate.adapter,
    },
    /** The proposal that was chosen. */
    chosen: choice?.candidate ?? null,
    parts: choice?.parts ?? [],
    isLooking,
    isTrying,
    error,
    look,
    choose,
    setLayout,
  };
}

function choiceOf(candidate: Candidate): Choice {
  return { candidate, layout: candidate.layout, parts: partsOf(candidate) };
}
