import { act } from "@testing-library/react";
import { vi } from "vitest";

const view = { width: 380, height: 900 };

/** jsdom lays nothing out: the list gets a size, and each of its lines the height of a row. */
export function stubLayout(): void {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      private readonly notify: ResizeObserverCallback;
      constructor(notify: ResizeObserverCallback) {
        this.notify = notify;
      }
      observe(target: Element) {
        const contentRect = target.className === "scroll" ? view : { ...view, height: 84 };
        queueMicrotask(() =>
          act(() =>
            this.notify(
              [{ target, contentRect } as ResizeObserverEntry],
              this as unknown as ResizeObserver,
            ),
          ),
        );
      }
      unobserve() {}
      disconnect() {}
    },
  );
  vi.spyOn(HTMLElement.prototype, "offsetParent", "get").mockImplementation(function (
    this: HTMLElement,
  ) {
    return this.parentElement;
  });
  HTMLElement.prototype.checkVisibility ??= () => true;
  HTMLElement.prototype.scrollBy ??= () => undefined;
  HTMLElement.prototype.scrollIntoView ??= () => undefined;
}
