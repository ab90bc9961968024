import { expect, it, vi } from "vitest";
import { followPlace } from "./places";

function clicked(html: string, selector: string) {
  const body = document.createElement("div");
  body.innerHTML = html;
  const seen: string[] = [];
  for (const place of body.querySelectorAll<HTMLElement>("[id]")) {
    place.scrollIntoView = vi.fn(() => void seen.push(place.textContent ?? ""));
  }
  let isPlace = false;
  body.addEventListener("click", (event) => {
    isPlace = followPlace(event, body);
    event.preventDefault();
  });
  body
    .querySelector(selector)
    ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  return { isPlace, seen, body };
}

it("goes to a footnote of the article", () => {
  const notes =
    '<a href="#ruri-fn:1"><b>1</b></a><a href="#ruri-%E6%B3%A8">2</a><li id="ruri-fn:1">One</li><li id="ruri-注">Two</li>';
  expect(clicked(notes, "b").seen).toEqual(["One"]);
  expect(clicked(notes, "a + a").seen).toEqual(["Two"]);
});

it("opens what hides the place", () => {
  const { body, seen } = clicked(
    '<a href="#ruri-a">1</a><details><details><p id="ruri-a">In</p></details></details>',
    "a",
  );
  expect(seen).toEqual(["In"]);
  expect([...body.querySelectorAll("details")].every((one) => one.open)).toBe(true);
});

it("leaves other links alone", () => {
  expect(
    clicked('<a href="https://x.example/#ruri-a">1</a><p id="ruri-a">In</p>', "a"),
  ).toMatchObject({ isPlace: false, seen: [] });
});
