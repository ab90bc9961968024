import { expect, it } from "vitest";
import { addPictures, isPicture } from "./attached-pictures";

const sources = (html: string, urls: string[]) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  addPictures(template.content, urls);
  return [...template.content.querySelectorAll("img")].map(({ src }) => src);
};

it("shows attached pictures before the text, each once", () => {
  const [a, b] = ["https://x.example/a.jpg", "https://x.example/b.png"];
  expect(sources("<p>Text</p>", [a, b, a])).toEqual([a, b]);
  expect(sources(`<p>Text</p><img src="${b}">`, [a, b])).toEqual([a, b]);
});

it("knows a picture of the text in another size", () => {
  const small = "https://x.example/a-1024x768.jpg?quality=80";
  expect(sources(`<img src="${small}">`, ["https://x.example/a.jpg"])).toEqual([small]);
  expect(sources(`<img src="${small}">`, ["https://x.example/a2.jpg"])).toHaveLength(2);
});

it("leaves to the list of files what this page does not load", () => {
  const file = { url: "https://x.example/a.jpg", type: "image/jpeg", length: 0 };
  expect(isPicture(file)).toBe(true);
  expect(isPicture({ ...file, url: "http://x.example/a.jpg" })).toBe(false);
  expect(isPicture({ ...file, type: "application/pdf" })).toBe(false);
});
