import { render } from "@testing-library/react";
import { App } from "@/app/app";
import { makeQueryClient, warmUp } from "@/app/query-client";
import { aBeginning } from "./fixtures";
import { stubLayout } from "./layout";
import { mockServer } from "./server";

/** Opens an address of the whole page on a mocked server. */
export function openApp(
  path: string,
  routes: Parameters<typeof mockServer>[0],
): ReturnType<typeof mockServer> {
  stubLayout();
  const server = mockServer({ "GET /api/me": { body: aBeginning() }, ...routes });
  history.replaceState(null, "", path);
  const client = makeQueryClient();
  warmUp(client);
  render(<App client={client} />);
  return server;
}
