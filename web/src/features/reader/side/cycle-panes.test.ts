import { afterEach, expect, it, vi } from "vitest";
import { cyclePanes } from "./cycle-panes";

afterEach(() => vi.restoreAllMocks());

it("goes on from an article that is open in the list", () => {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 9, 9));
  Element.prototype.checkVisibility ??= () => true;
  document.body.innerHTML = `<nav class="side"><a data-stop tabindex="0">side</a></nav>
    <div class="list-pane"><article class="row" tabindex="0">row</article>
      <div class="article-pane"><h1 tabindex="-1">text</h1></div></div>`;
  const order = ["side", "row", "text", "side"].map(() => {
    cyclePanes(1);
    return document.activeElement?.textContent;
  });
  expect(order).toEqual(["side", "row", "text", "side"]);
});
