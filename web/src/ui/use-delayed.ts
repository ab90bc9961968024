import { useEffect, useState } from "react";

/** True once `active` has lasted for a moment: avoids flicker of placeholders. */
export function useDelayed(active: boolean, after = 150): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!active) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => setSlow(true), after);
    return () => clearTimeout(timer);
  }, [active, after]);
  return isSlow && active;
}
