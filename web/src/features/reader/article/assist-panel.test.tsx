import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { type Assisted, readEvents } from "@/data/assist";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer, problem } from "@/testing/server";
import { AssistPanel } from "./assist-panel";

const model = { provider: "openai" as const, model: "gpt-oss", host: "10.0.0.2:11434" };
const extract = { provider: "extract" as const, model: null, host: null };
const key: Assisted = {
  state: "ok",
  kind: "sentences",
  text: "Five columns.\nNobody lives in four of them.",
  lang: null,
  by: extract,
  isExtract: true,
  sentences: 61,
  isTruncated: false,
  isCached: false,
  isMeasured: true,
  code: null,
  message: null,
  nextAt: null,
  tokenUsage: { thisRequest: 0, monthlyUsed: 0, monthlyLimit: 20_000 },
};
const summary: Assisted = {
  ...key,
  kind: "summary",
  text: "Keepers wrote <b>remarks</b>.",
  lang: "en",
  by: model,
  isExtract: false,
  sentences: null,
  tokenUsage: { thisRequest: 960, monthlyUsed: 1960, monthlyLimit: 20_000 },
};

function open(
  by: typeof model | typeof extract,
  answers: (Assisted | ReturnType<typeof problem>)[],
) {
  const server = mockServer({
    "GET /api/me": { body: { ...aBeginning(), assist: by } },
    "PUT /api/assist/agreement": { status: 204 },
    "POST /api/items/1/assist": () => {
      const next = answers.shift() ?? key;
      return "state" in next ? { body: next } : next;
    },
  });
  renderApp(<AssistPanel id="1" fullText={false} lang="en" onClose={() => {}} />);
  return server;
}

it("shows key sentences at once, and says that they are the article's", async () => {
  const { calls } = open(extract, [key]);
  await screen.findByText("Five columns.");
  expect(screen.getByText(/2 of 61 sentences of the article/).textContent).toContain("rewritten");
  expect(screen.queryByRole("button", { name: "Summarize" })).toBeNull();
  expect(calls.find(({ route }) => route.startsWith("POST"))?.body).toMatchObject({
    kind: "sentences",
  });
});

it("asks for agreement to the host once, and then shows the model's text as text with its cost", async () => {
  const { calls } = open(model, [key, problem(409, "assist_not_agreed", "validation"), summary]);
  await userEvent.click(await screen.findByRole("button", { name: "Summarize" }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog.textContent).toContain("10.0.0.2:11434");
  expect(calls.filter(({ route }) => route.startsWith("PUT"))).toHaveLength(0);
  await userEvent.click(screen.getByRole("button", { name: "Agree and continue" }));
  await screen.findByText("Keepers wrote <b>remarks</b>.");
  expect(calls.find(({ route }) => route.startsWith("PUT"))?.body).toEqual({
    host: "10.0.0.2:11434",
    isAgreed: true,
  });
  expect(screen.getByText(/960 tokens, 1,960 of 20,000 this month/)).toBeTruthy();
});

it("shows key sentences with the reason after a failure, and tries again", async () => {
  const failed: Assisted = {
    ...key,
    state: "failed",
    code: "assist_busy",
    message: "The AI model is busy.",
  };
  open(model, [key, failed, summary]);
  await userEvent.click(await screen.findByRole("button", { name: "Summarize" }));
  await screen.findByText(/The AI model is busy/);
  expect(screen.getByText("Five columns.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("Keepers wrote <b>remarks</b>.");
  await waitFor(() => expect(screen.queryByText(/is busy/)).toBeNull());
});

it("shows a single point as one, as while the first is being written", async () => {
  open(model, [key, { ...summary, kind: "bullets", text: "- First point of the" }]);
  await userEvent.click(await screen.findByRole("button", { name: "List the points" }));
  expect((await screen.findByText("First point of the")).tagName).toBe("LI");
});

it("offers no second try where the month's limit is reached", async () => {
  const message = "You have reached this month's token limit. It resets on December 1.";
  const nextAt = "2026-12-01T00:00:00Z";
  open(model, [key, { ...key, state: "failed", code: "assist_month_used", message, nextAt }]);
  await userEvent.click(await screen.findByRole("button", { name: "Summarize" }));
  await screen.findByText(message);
  expect(screen.getByText("Five columns.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

it("reads an answer that comes in parts, cut anywhere", async () => {
  const text = `event: text\ndata: {"text":"灯台"}\n\nevent: done\ndata: ${JSON.stringify(summary)}\n\n`;
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const read = async () => {
    const value = bytes.slice(at, at + 5);
    at += 5;
    return at > bytes.length + 5 ? { done: true as const } : { done: false as const, value };
  };
  const body = { getReader: () => ({ read }) } as unknown as ReadableStream<Uint8Array>;
  const seen = vi.fn();
  expect(await readEvents(body, seen)).toEqual(summary);
  expect(seen.mock.calls).toEqual([["灯台"]]);
});

it("says that an article is too short, and nothing else", async () => {
  open(model, [problem(409, "assist_no_text", "validation")]);
  const panel = await screen.findByRole("region", { name: "Key sentences" });
  await waitFor(() => expect(panel.querySelector(".about-note")).toBeTruthy());
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Summarize" })).toBeNull();
});

it("asks the server below the path of its host", async () => {
  document.documentElement.dataset.base = "/reader";
  vi.resetModules();
  const asked = vi.fn(async () => Response.json(summary));
  vi.stubGlobal("fetch", asked);
  try {
    const { askAssistant } = await import("@/data/assist");
    const wish = { kind: "summary", language: "en", fullText: false, evenPrivate: false } as const;
    expect(await askAssistant("1", wish, new AbortController().signal, vi.fn())).toEqual(summary);
    expect(asked).toHaveBeenCalledWith("/reader/api/items/1/assist", expect.anything());
  } finally {
    delete document.documentElement.dataset.base;
    vi.unstubAllGlobals();
  }
});
