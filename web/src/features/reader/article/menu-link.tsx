import type { ComponentProps, ReactNode } from "react";

/** An entry of a menu that leads out of the reader, into a tab of its own. */
export function MenuLink({
  icon,
  children,
  ...rest
}: ComponentProps<"a"> & { href: string; icon: ReactNode }) {
  return (
    <a role="menuitem" tabIndex={-1} target="_blank" rel="noopener noreferrer" {...rest}>
      {icon}
      {children}
    </a>
  );
}
