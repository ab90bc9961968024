import { Trans } from "@lingui/react/macro";
import { Link } from "@/ui/link";
import { Logo } from "@/ui/logo";

export function NotFound() {
  return (
    <div className="login">
      <main>
        <Logo size={40} />
        <h1 className="mt-4 mb-2 text-xl font-semibold">
          <Trans>Page not found</Trans>
        </h1>
        <p className="mb-6 text-ink2">
          <Trans>Nothing is at this address. It may be mistyped, or the page was removed.</Trans>
        </p>
        <Link href="/" className="btn btn-main">
          <Trans>Go to Today</Trans>
        </Link>
      </main>
    </div>
  );
}
