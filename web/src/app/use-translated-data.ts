import { i18n } from "@lingui/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

/**
 * Reloads what has sentences of the server in it when the language changes. `me` has none, and would bring back the
 * settings from before the change.
 */
export function useTranslatedData(): void {
  const client = useQueryClient();
  useEffect(() => {
    let { locale } = i18n;
    return i18n.on("change", () => {
      if (i18n.locale === locale) return;
      locale = i18n.locale;
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    });
  }, [client]);
}
