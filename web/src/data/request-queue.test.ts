import { expect, it } from "vitest";
import { createQueue } from "./request-queue";

it("sends one after the other, also after one that failed", async () => {
  const enqueue = createQueue();
  const events: string[] = [];
  const waiting: (() => void)[] = [];
  const send = (name: string) =>
    enqueue(async () => {
      events.push(`${name} sent`);
      await new Promise<void>((resolve) => waiting.push(resolve));
      events.push(`${name} answered`);
      if (name === "one") throw new Error("refused");
      return name;
    });
  const all = Promise.allSettled([send("one"), send("two"), send("three")]);
  while (events.length < 6) {
    await new Promise((resolve) => setTimeout(resolve));
    waiting.shift()?.();
  }
  expect(events).toEqual(["one", "two", "three"].flatMap((n) => [`${n} sent`, `${n} answered`]));
  expect((await all).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});
