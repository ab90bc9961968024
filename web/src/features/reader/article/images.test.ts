import { describe, expect, it } from "vitest";
import { hasImages, prepareImages } from "./images";

function body(html: string, isShown = true): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = html;
  prepareImages(template.content, isShown, "It does not come");
  return template.content;
}

describe("prepareImages", () => {
  it("asks for pictures late and without telling where from", () => {
    const image = body('<img src="https://x.example/1.png" alt="A">').querySelector("img");
    expect(image?.loading).toBe("lazy");
    expect(image?.decoding).toBe("async");
    expect(image?.referrerPolicy).toBe("no-referrer");
  });

  it("knows a sign in the line from a figure", () => {
    const [sign, figure, unknown] = body(
      '<img src="s" width="16" height="16"><img src="f" width="640" height="420"><img src="u" width="16">',
    ).querySelectorAll("img");
    expect(sign?.dataset.sign).toBe("true");
    expect(figure?.dataset.sign).toBeUndefined();
    expect(unknown?.dataset.sign).toBeUndefined();
  });

  it("says in the box of a picture that it does not come", () => {
    const fragment = body('<p><img src="1" alt="A dog"></p><p><img src="2" alt=""></p>');
    for (const image of fragment.querySelectorAll("img")) image.dispatchEvent(new Event("error"));
    expect([...fragment.querySelectorAll(".broken-image")].map((one) => one.textContent)).toEqual([
      "It does not come: A dog",
      "It does not come",
    ]);
    expect(fragment.querySelectorAll(".broken-image img")).toHaveLength(2);
  });

  it("leaves only words where pictures are not wanted", () => {
    const fragment = body('<img src="1" alt="A dog"><img src="2" alt=""><video poster="p">', false);
    expect(fragment.querySelector("img")).toBeNull();
    expect(fragment.querySelector("video")?.hasAttribute("poster")).toBe(false);
    const [dog, nothing] = fragment.querySelectorAll<HTMLElement>(".no-image");
    expect([dog?.textContent, dog?.hidden, nothing?.hidden]).toEqual(["A dog", false, true]);
  });
});

describe("hasImages", () => {
  it.each([
    ['<p><img src="x"></p>', true],
    ["<p>&lt;img&gt; and imgur</p>", false],
    ["", false],
  ])("%s: %s", (html, has) => {
    expect(hasImages(html)).toBe(has);
  });
});
