import { Trans } from "@lingui/react/macro";
import { Link } from "@/ui/link";

export function NotFound() {
  return (
    <div className="login">
      <main>
        <h1 className="mb-3 text-xl font-semibold">
          <Trans>Page not found</Trans>
        </h1>
        <Link href="/all" className="btn btn-main">
          <Trans>Go to all articles</Trans>
        </Link>
      </main>
    </div>
  );
}
