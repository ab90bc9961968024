import { useEffect, useState } from "react";

/** True once `active` has lasted: nothing flickers when an answer comes at once. */
export function useLate(active: boolean, after = 150): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!active) {
      setLate(false);
      return;
    }
    const timer = setTimeout(() => setLate(true), after);
    return () => clearTimeout(timer);
  }, [active, after]);
  return late && active;
}
