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
