// Lints docs/openapi.yaml with the rules that Redocly recommends; every finding is an error.
import { createConfig, formatProblems, getTotals, lint } from "@redocly/openapi-core";

const config = await createConfig({
  extends: ["recommended"],
  rules: {
    "operation-4xx-response": "off", // errors are the `default` response
    "operation-tag-defined": "error",
  },
});
const problems = await lint({
  ref: new URL("../../docs/openapi.yaml", import.meta.url).pathname,
  config,
});
if (problems.length > 0) {
  formatProblems(problems, { totals: getTotals(problems) });
  process.exit(1);
}
