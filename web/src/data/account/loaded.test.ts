import { QueryClient, QueryObserver, queryOptions } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { updateLoaded } from "./loaded";

it("an answer that is older than the change does not come over it", async () => {
  let server = ["a"];
  const answers: (() => void)[] = [];
  const query = queryOptions({
    queryKey: ["list"] as const,
    queryFn: async () => {
      const list = [...server];
      await new Promise<void>((resolve) => answers.push(resolve));
      return list;
    },
  });
  const client = new QueryClient();
  const observer = new QueryObserver(client, query);
  const end = observer.subscribe(() => {});
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  server = ["a", "b"];
  await updateLoaded(client, query, (list) => [...list, "b"]);
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  for (const answer of answers) answer();
  await vi.waitFor(() => expect(observer.getCurrentResult().data).toEqual(["a", "b"]));

  // Nothing is on its way: it is changed and not asked for.
  await updateLoaded(client, query, (list) => [...list, "c"]);
  expect(observer.getCurrentResult().data).toEqual(["a", "b", "c"]);
  expect(answers).toHaveLength(2);
  end();
});
