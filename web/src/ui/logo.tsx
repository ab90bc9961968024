/** public/icon.svg inline, which saves a request. */
export function Logo({ size }: { size: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="logo">
      <rect width="32" height="32" rx="8" />
      <circle cx="11" cy="21" r="3" />
      <path d="M8 13a11 11 0 0 1 11 11M8 7a17 17 0 0 1 17 17" />
    </svg>
  );
}
