import { CircleCheck, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  kind: "err" | "warn" | "ok";
  children: ReactNode;
  /** Announced when it appears. */
  live?: boolean;
}

export function Note({ kind, children, live }: Props) {
  return (
    <div
      className="note"
      data-kind={kind}
      role={live ? (kind === "err" ? "alert" : "status") : undefined}
    >
      {kind === "ok" ? <CircleCheck /> : <TriangleAlert />}
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
