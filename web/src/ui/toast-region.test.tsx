import { act, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { setOwnKeys } from "@/keys/keymap";
import { renderApp } from "@/testing/render";
import { forgetUndos, rewordToast, showToast, showUndo, undoLast } from "./toasts";

afterEach(() => {
  forgetUndos();
  setOwnKeys({});
});

test("what can be taken back names the key that does it", async () => {
  renderApp(null);
  const offer = () => act(() => void showUndo("Gone.", () => undefined));
  offer();
  await screen.findByRole("button", { name: "Undo (z)" });

  setOwnKeys({ undo: ["q"] });
  offer();
  screen.getByRole("button", { name: "Undo (q)" });

  setOwnKeys({ undo: [] });
  offer();
  expect(screen.getByRole("button").textContent).toBe("Undo");
});

test("what is taken back is said in place of what offered it, unless the undo says more", async () => {
  renderApp(null);
  const said = () => screen.getByRole("status").textContent;
  act(() => void showUndo("Gone.", () => undefined));
  await screen.findByText("Gone.");
  act(() => void undoLast());
  expect(said()).toBe("Undone.");

  act(() => void showUndo("Gone.", () => undefined));
  act(() => screen.getByRole("button").click());
  expect(said()).toBe("Undone.");

  act(() => void showUndo("Gone.", () => showToast("Too late.")));
  act(() => void undoLast());
  expect(said()).toBe("Too late.");
});

test("a toast is put right only where it is still to be read", async () => {
  renderApp(null);
  act(() => void showUndo("2 gone.", () => undefined));
  await screen.findByText("2 gone.");
  act(() => rewordToast("2 gone.", "3 gone."));
  expect(screen.getByRole("status").textContent).toBe("3 gone.Undo (z)");
  act(() => rewordToast("2 gone.", "4 gone."));
  expect(screen.getByRole("status").textContent).toBe("3 gone.Undo (z)");
});
