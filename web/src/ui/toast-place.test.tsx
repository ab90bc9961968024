import { act, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { setOwnKeys } from "@/keys/keymap";
import { renderApp } from "@/testing/render";
import { forgetUndos, showUndo } from "./toasts";

afterEach(() => {
  forgetUndos();
  setOwnKeys({});
});

test("what can be taken back names the key that does it", () => {
  renderApp(null);
  const offer = () => act(() => void showUndo("Gone.", "Undo", () => undefined));
  offer();
  screen.getByRole("button", { name: "Undo (z)" });

  setOwnKeys({ undo: ["q"] });
  offer();
  screen.getByRole("button", { name: "Undo (q)" });

  setOwnKeys({ undo: [] });
  offer();
  expect(screen.getByRole("button").textContent).toBe("Undo");
});
