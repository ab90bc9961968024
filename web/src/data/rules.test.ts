import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { type Rule, rulesQuery, saveRules } from "./rules";

const rule = (name: string) => ({ id: name, name }) as Rule;

it("sends each change upon the revision that the one before gave, and shows the last one throughout", async () => {
  const client = new QueryClient();
  client.setQueryData(rulesQuery.queryKey, { revision: "1", rules: [rule("a"), rule("b")] });
  const shown = () => client.getQueryData(rulesQuery.queryKey)?.rules.map(({ name }) => name);
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  vi.stubGlobal("fetch", async (_: string, { body }: { body: string }) => {
    const { revision, rules } = JSON.parse(body);
    asked.push(revision);
    await new Promise<void>((resolve) => answers.push(resolve));
    return Response.json({ revision: String(Number(revision) + 1), rules });
  });
  const first = saveRules(client, [rule("b"), rule("a")]);
  const second = saveRules(client, [rule("b")]);
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  expect(shown()).toEqual(["b"]);
  answers[0]?.();
  await first;
  expect(shown()).toEqual(["b"]);
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.();
  await second;
  expect(asked).toEqual(["1", "2"]);
  expect(shown()).toEqual(["b"]);
});
