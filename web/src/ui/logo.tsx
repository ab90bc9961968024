/** public/icon.svg inline, which saves a request. */
export function Logo({ size }: { size: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="logo">
      <rect width="32" height="32" rx="8" />
      <path d="M16 7a9 9 0 1 1-9 9" />
      <circle cx="16" cy="16" r="3.2" />
      <circle cx="9.6" cy="9.6" r="2.2" className="fleck" />
    </svg>
  );
}
