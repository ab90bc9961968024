import { act, screen } from "@testing-library/react";
import { type ComponentType, lazy, Suspense } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import "@/keys/deliver"; // as the browser has it by then
import { HoldKeys } from "@/keys/hold-keys";
import { listenForKeys } from "@/keys/keyboard";
import { renderApp } from "@/testing/render";
import { PaneBoundary } from "./pane-boundary";

const run = vi.fn((_id: string) => true);
let stop = () => {};

beforeEach(() => {
  run.mockClear();
  stop = listenForKeys(window, run);
});
afterEach(() => stop());

function type(text: string): void {
  for (const key of text) {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    (document.activeElement ?? document.body).dispatchEvent(event);
  }
}
/** Lets all that was held arrive. */
const arrived = () =>
  act(async () => {
    for (let turn = 0; turn < 40; turn += 1) await new Promise((done) => setTimeout(done));
  });

function Opened({ load }: { load: Promise<{ default: ComponentType }> }) {
  const Lazy = lazy(() => load);
  return (
    <PaneBoundary>
      <Suspense fallback={<HoldKeys onCancel={vi.fn()} />}>
        <Lazy />
      </Suspense>
    </PaneBoundary>
  );
}

it("gives a dialog whose code comes late what was typed for it", async () => {
  let come = (_: { default: ComponentType }) => {};
  const load = new Promise<{ default: ComponentType }>((resolve) => {
    come = resolve;
  });
  const onChange = vi.fn();
  renderApp(<Opened load={load} />);
  type("stats");
  await act(async () =>
    come({
      default: () => (
        <input
          // biome-ignore lint/a11y/noAutofocus: as the dialogs do
          autoFocus
          aria-label="field"
          onChange={(event) => onChange(event.target.value)}
        />
      ),
    }),
  );
  await arrived();
  expect(screen.getByLabelText<HTMLInputElement>("field").value).toBe("stats");
  expect(onChange, "React hears of each letter").toHaveBeenLastCalledWith("stats");
  expect(run).not.toHaveBeenCalled();
});

it("shows that the code did not come, forgets what was typed, and frees the keys", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  let fail = (_: Error) => {};
  const load = new Promise<{ default: ComponentType }>((_, reject) => {
    fail = reject;
  });
  renderApp(<Opened load={load} />);
  type("ts");
  await act(async () => fail(new TypeError("Failed to fetch dynamically imported module: /x.js")));
  await screen.findByRole("alert");
  await arrived();
  expect(run).not.toHaveBeenCalled();
  type("t");
  expect(run.mock.calls).toEqual([["theme"]]);
});
