import { defineConfig } from "@lingui/cli";
import { formatter } from "@lingui/format-po";

// The catalogs lie outside src: inside the scanned folder `extract` finds no message and says nothing.
export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "ja"],
  catalogs: [
    {
      path: "<rootDir>/locales/{locale}",
      include: ["src"],
      exclude: [
        "**/*.test.ts",
        "**/*.test.tsx",
        "src/features/settings/**",
        "src/features/watches/**",
      ],
    },
    // What only one large part says comes with it (i18n/locale.ts: loadPart).
    ...["settings", "watches"].map((part) => ({
      path: `<rootDir>/locales/${part}/{locale}`,
      include: [`src/features/${part}`],
      exclude: ["**/*.test.ts", "**/*.test.tsx"],
    })),
  ],
  orderBy: "message",
  // Without line numbers a catalog changes only when its messages do.
  format: formatter({ lineNumbers: false }),
});
