import { Trans } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";

interface Props {
  seconds: number;
  onEnd: () => void;
}

/** Counts down and calls `onEnd`; not announced by screen readers. */
export function Countdown({ seconds, onEnd }: Props) {
  const [left, setLeft] = useState(seconds);
  const end = useRef(onEnd);
  end.current = onEnd;

  useEffect(() => {
    const until = performance.now() + seconds * 1_000;
    const timer = setInterval(() => {
      const now = Math.ceil((until - performance.now()) / 1_000);
      setLeft(Math.max(0, now));
      if (now > 0) return;
      clearInterval(timer);
      end.current();
    }, 250);
    return () => clearInterval(timer);
  }, [seconds]);

  return (
    <p className="tabular-nums" role="timer" aria-live="off">
      <Trans>Retrying in {left} s…</Trans>
    </p>
  );
}
