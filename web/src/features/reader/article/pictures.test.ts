import { beforeEach, expect, it } from "vitest";
import { offerPictures, pictureOf, pictureSource, picturesOf } from "./pictures";

let box: HTMLElement;

beforeEach(() => {
  box = document.createElement("div");
  box.innerHTML = `
    <p><img data-sign="true" src="https://a.example/sign.png" alt=":)"></p>
    <figure><img src="https://a.example/1.jpg" alt="A coast" title="From the sea"></figure>
    <img src="https://a.example/2.jpg" alt="&nbsp;" aria-hidden="true">
    <a href="https://a.example/large.jpg"><img src="https://a.example/3.jpg" alt="Small"></a>
    <a href="https://a.example/about"><img src="https://a.example/4.jpg" alt="Linked"></a>`;
  offerPictures(box, "Picture");
  document.body.replaceChildren(box);
});

it("offers pictures, but no signs and no links to something else", () => {
  expect(picturesOf(box).map(pictureSource)).toEqual([
    "https://a.example/1.jpg",
    "https://a.example/2.jpg",
    "https://a.example/large.jpg",
  ]);
  const [first, second, third] = picturesOf(box);
  expect([first?.tabIndex, first?.getAttribute("role")]).toEqual([0, "button"]);
  expect([second?.getAttribute("aria-label"), second?.getAttribute("aria-hidden")]).toEqual([
    "Picture",
    null,
  ]);
  // Its link is reached already.
  expect(third?.getAttribute("role")).toBeNull();
});

it.each([
  ["click on a picture", ["img[alt='A coast']", new MouseEvent("click")], "1.jpg"],
  [
    "Enter on a picture",
    ["img[alt='A coast']", new KeyboardEvent("keydown", { key: "Enter" })],
    "1.jpg",
  ],
  ["another key", ["img[alt='A coast']", new KeyboardEvent("keydown", { key: "j" })], null],
  ["a new tab", ["img[alt='A coast']", new MouseEvent("click", { ctrlKey: true })], null],
  [
    "Enter on a link to a picture",
    ["a", new KeyboardEvent("keydown", { key: "Enter" })],
    "large.jpg",
  ],
  ["click on a link to a page", ["img[alt='Linked']", new MouseEvent("click")], null],
  ["click on text", ["p", new MouseEvent("click")], null],
] as const)("%s", (_, [selector, event], want) => {
  box.querySelector(selector)?.dispatchEvent(event);
  const image = pictureOf(event);
  expect(image && pictureSource(image).split("/").at(-1)).toBe(want);
});
