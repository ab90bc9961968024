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

  it("puts a line that leads to the picture in the place of one that does not come", () => {
    const fragment = body(
      '<p><img src="https://x.example/1.png" alt="A dog" width="640" height="420"></p><p><img src="https://x.example/2.png" alt=""></p>' +
        '<a href="https://x.example/"><img src="https://x.example/3.png" alt="A cat"></a><img src="data:image/png;base64,AA==" alt="A fish">',
    );
    for (const image of fragment.querySelectorAll("img")) image.dispatchEvent(new Event("error"));
    expect(fragment.querySelector("img")).toBeNull();
    const notes = [...fragment.querySelectorAll(".broken-image")];
    expect(notes.map((note) => [note.textContent, note.getAttribute("href")])).toEqual([
      ["It does not come: A dog", "https://x.example/1.png"],
      ["It does not come", "https://x.example/2.png"],
      ["It does not come: A cat", null],
      ["It does not come: A fish", null],
    ]);
  });

  it("says the same of a picture that the server could only link", () => {
    const fragment = body('<a class="broken-image" href="http://x.example:81/1.png">A dog</a>');
    expect(fragment.textContent).toBe("It does not come: A dog");
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
