import type { components, paths } from "./api.gen";
import { toApiError } from "./api-error";
import { outward } from "./base";
import { api, problemOf } from "./client";
import { noteReached } from "./connection";
import type { ItemId } from "./types";

export type Assisted = components["schemas"]["Assisted"];
export type AssistKind = Assisted["kind"];
type Wish = paths["/api/items/{id}/assist"]["post"]["requestBody"]["content"]["application/json"];

/**
 * Asks what an article is about. Where a model's answer comes in parts, onText gets the answer so far. It is sent once: each
 * request may cost tokens.
 */
export async function askAssistant(
  id: ItemId,
  wish: Wish,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<Assisted> {
  let response: Response;
  try {
    response = await fetch(outward(`/api/items/${encodeURIComponent(id)}/assist`), {
      method: "POST",
      signal,
      body: JSON.stringify(wish),
      headers: {
        Accept: "text/event-stream, application/json",
        "Accept-Language": document.documentElement.lang,
        "Content-Type": "application/json",
      },
    });
  } catch (cause) {
    if (!signal.aborted) noteReached(false);
    throw cause;
  }
  noteReached(true);
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  if (!response.ok) throw problemOf(response, await response.text());
  return isStream && response.body ? readEvents(response.body, onText) : await response.json();
}

/** Reads server-sent events: text with the answer so far, then done with the whole. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onText: (text: string) => void,
): Promise<Assisted> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let rest = ""; ; ) {
    const { value, done } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const events = rest.split("\n\n");
    rest = events.pop() ?? "";
    for (const one of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(one) ?? [];
      if (!name || !data) continue;
      const value = JSON.parse(data);
      if (name === "done") return value;
      if (name === "error") throw toApiError(new Error(value.message));
      onText(value.text);
    }
    if (done) throw new Error("The answer broke off.");
  }
}

/** Agrees that the text of articles is sent to the host of the model. */
export function agreeToHost(host: string, isAgreed: boolean): Promise<unknown> {
  return api.put("/api/assist/agreement", { body: { host, isAgreed } });
}

export function assistQuery() {
  return {
    queryKey: ["assist"],
    queryFn: () => api.get("/api/assist"),
  };
}
