import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  row: string;
  name: string;
  isStop: boolean;
  isClosed: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** Rows below a heading that opens and closes them. */
export function Group({ row, name, isStop, isClosed, onToggle, children }: Props) {
  return (
    <div data-part={row}>
      <div className="side-row" data-row={row}>
        <button
          type="button"
          className="side-group"
          data-stop=""
          data-name={name}
          tabIndex={isStop ? 0 : -1}
          aria-expanded={!isClosed}
          onClick={onToggle}
        >
          <ChevronRight />
          {name}
        </button>
      </div>
      {!isClosed && <ul>{children}</ul>}
    </div>
  );
}
