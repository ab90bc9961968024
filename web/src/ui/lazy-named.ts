import { type ComponentType, lazy } from "react";

/** React.lazy for a component that a module exports by its name. */
// biome-ignore lint/suspicious/noExplicitAny: components take any props
export function lazyNamed<N extends string, C extends ComponentType<any>>(
  name: N,
  load: () => Promise<Record<N, C>>,
) {
  return lazy(() => load().then((module) => ({ default: module[name] })));
}
