import { expect, it } from "vitest";
import { takeTurns } from "./turns";

it("sends one after the other, also after one that failed", async () => {
  const inTurn = takeTurns();
  const told: string[] = [];
  const waiting: (() => void)[] = [];
  const send = (name: string) =>
    inTurn(async () => {
      told.push(`${name} sent`);
      await new Promise<void>((resolve) => waiting.push(resolve));
      told.push(`${name} answered`);
      if (name === "one") throw new Error("refused");
      return name;
    });
  const all = Promise.allSettled([send("one"), send("two"), send("three")]);
  while (told.length < 6) {
    await new Promise((resolve) => setTimeout(resolve));
    waiting.shift()?.();
  }
  expect(told).toEqual(["one", "two", "three"].flatMap((n) => [`${n} sent`, `${n} answered`]));
  expect((await all).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});
