import { type ComponentType, useEffect, useState } from "react";

/**
 * A component that is loaded after the first script. It is rendered by a state and not by Suspense, which delays what
 * follows a fallback by 300 ms.
 */
export function late<P>(load: () => Promise<ComponentType<P>>) {
  let component: ComponentType<P> | null = null;
  const preload = async () => {
    component ??= await load();
  };
  /** Null until it is loaded. A failure is thrown to the boundary around it; a retry loads it again. */
  const use = (): ComponentType<P> | null => {
    const [state, setState] = useState<{ failure?: unknown }>({});
    const isMissing = component === null;
    useEffect(() => {
      // It may have come since it was rendered without it.
      if (!isMissing) return;
      let isMounted = true;
      preload().then(
        () => isMounted && setState({}),
        (failure) => isMounted && setState({ failure }),
      );
      return () => {
        isMounted = false;
      };
    }, [isMissing]);
    if ("failure" in state) throw state.failure;
    return component;
  };
  return { preload, use };
}
