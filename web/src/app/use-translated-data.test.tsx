import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { activateLocale } from "@/i18n/locale";
import { makeQueryClient } from "./query-client";
import { useTranslatedData } from "./use-translated-data";

afterEach(() => activateLocale("en"));

it("reloads what the server words when the language changes, and the settings not", async () => {
  const client = makeQueryClient();
  client.setQueryData(["feeds"], {});
  client.setQueryData(["me"], {});
  renderHook(useTranslatedData, {
    wrapper: ({ children }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
  await act(() => activateLocale("ja"));
  expect(client.getQueryState(["feeds"])?.isInvalidated).toBe(true);
  expect(client.getQueryState(["me"])?.isInvalidated).toBe(false);
});
