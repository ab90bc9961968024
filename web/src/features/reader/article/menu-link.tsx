import type { ComponentProps, ReactNode } from "react";

/** A menu entry that opens a new tab. */
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
