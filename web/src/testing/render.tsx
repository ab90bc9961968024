import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { ToastRegion } from "@/ui/toast-region";

export function renderApp(children: ReactNode, client = testClient()) {
  return render(
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        {children}
        <ToastRegion />
      </QueryClientProvider>
    </I18nProvider>,
  );
}

export function testClient(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { retry: false } } });
}
