import { fireEvent } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render";
import { Opened } from "./opened";

function open(id: string, left?: { id: string; within: number; index: number }) {
  const { container } = renderApp(
    <div className="scroll">
      <div className="line">
        <Opened id={id} position={1} size={9} pressed={{ current: null }} left={{ current: left }}>
          text
        </Opened>
      </div>
    </div>,
  );
  return container.querySelector(".opened")?.hasAttribute("data-grows");
}

it("grows from its row after a rest, not while one steps quickly nor where it was left open", () => {
  const now = vi.spyOn(performance, "now");
  const at = (ms: number) => now.mockReturnValue(1_000_000 + ms);
  at(0);
  expect(open("1")).toBe(true);
  for (const ms of [300, 600, 900]) {
    at(ms);
    expect(open("2")).toBe(false);
  }
  at(1400);
  expect(open("3")).toBe(true);
  at(9000);
  expect(open("3", { id: "3", within: 700, index: 2 })).toBe(false);
  now.mockRestore();
});

it("keeps an opened row at the top while its text loads, until a key scrolls", async () => {
  let resized = () => undefined as unknown;
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(notify: () => void) {
        resized = notify;
      }
      observe() {}
      disconnect() {
        resized = () => undefined;
      }
    },
  );
  open("7");
  const box = document.querySelector(".scroll:has([aria-posinset])") as HTMLElement;
  const line = box.querySelector(".line") as HTMLElement;
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  const grows = (by: number) => {
    vi.spyOn(line, "getBoundingClientRect").mockReturnValue(new DOMRect(0, by, 600, 100));
    resized();
  };
  fireEvent.keyDown(window, { key: "b" });
  await frame();
  grows(32);
  expect(box.scrollTop, "another key was pressed").toBe(32);
  fireEvent.keyDown(window, { key: " " });
  box.scrollTop = 500;
  await frame();
  grows(64);
  expect(box.scrollTop, "scrolled by a key").toBe(500);
  vi.unstubAllGlobals();
});
