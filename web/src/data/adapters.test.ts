import { expect, it } from "vitest";
import { type Adapter, adapterFor } from "./adapters";

const shop: Adapter = {
  name: "shop",
  version: 1,
  hosts: ["shop.example", "www.shop.example"],
  terms: null,
  currency: "JPY",
  asks: ["keyword"],
};

it.each([
  ["https://www.shop.example/search?q=m6", shop],
  ["shop.example/search", shop],
  [" https://SHOP.example/ ", shop],
  ["https://shop.example.org/", undefined],
  ["https://example.org/?u=shop.example", undefined],
  ["shop", undefined],
  ["", undefined],
])("%s", (typed, want) => expect(adapterFor([shop], typed)).toBe(want));
