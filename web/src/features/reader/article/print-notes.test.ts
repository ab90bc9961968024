import { expect, it } from "vitest";
import { noteOnPaper } from "./print-notes";

it("lists the addresses of links while the page is printed, each once", () => {
  document.body.innerHTML = `<div><p><a href="https://a.example/1">One</a> <a href="#x">Within</a>
    <a href="https://a.example/2">two</a> <a href="https://a.example/1">again</a>
    <a href="https://a.example/pic"><img alt=""></a></p></div>`;
  const text = document.querySelector("div") as HTMLElement;
  const end = noteOnPaper(text);
  const before = document.body.innerHTML;
  dispatchEvent(new Event("beforeprint"));
  expect([...document.querySelectorAll(".print-notes li")].map((one) => one.textContent)).toEqual([
    "https://a.example/1",
    "https://a.example/2",
  ]);
  expect([...text.querySelectorAll("a")].map((link) => link.dataset.note)).toEqual([
    "1",
    undefined,
    "2",
    "1",
    undefined,
  ]);
  dispatchEvent(new Event("afterprint"));
  expect(document.body.innerHTML).toBe(before);
  end();
});
