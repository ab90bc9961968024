import { Trans } from "@lingui/react/macro";

interface Props {
  report: { kind: "list" | "archive" | "reader"; done: number; total: number };
}

/** How far an import is: entries of a list, the share of an archive or an account. */
export function ImportShare({ report: { kind, done, total } }: Props) {
  if (kind !== "list") return <>{Math.floor((100 * done) / Math.max(total, 1))}%</>;
  return (
    <Trans>
      {done} of {total}
    </Trans>
  );
}
