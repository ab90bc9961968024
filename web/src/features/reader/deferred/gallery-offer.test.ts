import { beforeEach, expect, it } from "vitest";
import { setPreference } from "@/data/preferences";
import { parseRoute, type ReaderRoute } from "@/data/routes";
import { anItem } from "@/testing/fixtures";
import { isOfPictures, offerGallery } from "./gallery-offer";

const items = (large: number, count: number) =>
  Array.from({ length: count }, (_, i) =>
    anItem({ id: String(i), imageWidth: i < large ? 600 : 599 }),
  );
const offered = () => localStorage.getItem("ruri.gallery-offered");

beforeEach(() => setPreference("gallery-offered", ""));

it("takes a feed for one of pictures when four fifths of its items have a large one", () => {
  expect(isOfPictures(items(8, 10))).toBe(true);
  expect(isOfPictures(items(7, 10))).toBe(false);
  expect(isOfPictures(items(4, 4)), "too few to say").toBe(false);
  expect(isOfPictures([])).toBe(false);
});

it("offers the gallery once for each feed, and not where it is", () => {
  const route = (path: string) => parseRoute(path, "") as ReaderRoute;
  offerGallery(route("/all"), items(10, 10));
  offerGallery({ ...route("/feed/1"), mode: "gallery" }, items(10, 10));
  offerGallery(route("/feed/1"), items(1, 10));
  expect(offered()).toBe("");
  offerGallery(route("/feed/1"), items(10, 10));
  offerGallery(route("/feed/1"), items(10, 10));
  expect(offered()).toBe("1");
});
