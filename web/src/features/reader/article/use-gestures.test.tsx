import { fireEvent, renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { setPreference } from "@/data/preferences";
import { useCommands } from "@/keys/use-command";
import { articleGestures } from "@/ui/touch";
import { useGestures } from "./use-gestures";

function touched(html = "<p>text</p>") {
  const view = document.createElement("div");
  view.innerHTML = html;
  document.body.append(view);
  const scroller = { current: view };
  const ran: string[] = [];
  renderHook(() => {
    useCommands({
      "item.next": () => void ran.push("next"),
      "item.previous": () => void ran.push("previous"),
      back: () => void ran.push("back"),
    });
    useGestures(scroller, true);
  });
  return (from: [number, number], to: [number, number]) => {
    ran.length = 0;
    const target = view.firstElementChild ?? view;
    const at = ([clientX, clientY]: [number, number]) => ({ touches: [{ clientX, clientY }] });
    // Not at the end of the text, where pulling up is a gesture too.
    Object.defineProperty(view, "scrollHeight", { value: 5_000 });
    fireEvent.touchStart(target, at(from));
    fireEvent.touchMove(target, at(to));
    fireEvent.touchEnd(target, { touches: [] });
    return ran.join();
  };
}

it("opens the next article on a swipe to the left, and the one before on a swipe to the right", () => {
  const swipe = touched();
  expect(swipe([300, 400], [200, 410])).toBe("next");
  expect(swipe([200, 400], [300, 410])).toBe("previous");
  expect(swipe([300, 400], [260, 400]), "too short").toBe("");
  expect(swipe([300, 400], [200, 320]), "scrolling").toBe("");
  expect(swipe([10, 400], [200, 400]), "the system's own edge").toBe("");
  expect(swipe([40, 400], [200, 400]), "from our edge").toBe("back");
});

it("leaves what scrolls sideways alone, and everything when switched off", () => {
  expect(touched("<pre>code</pre>")([300, 400], [200, 400])).toBe("");
  setPreference(articleGestures, "off");
  expect(touched()([300, 400], [200, 400])).toBe("");
  setPreference(articleGestures, "on");
});
