import { Trans } from "@lingui/react/macro";
import { Link } from "@/ui/link";

export function Missing() {
  return (
    <div className="login">
      <main>
        <h1 className="mb-3 text-xl font-semibold">
          <Trans>There is no such page</Trans>
        </h1>
        <p className="mb-4 text-ink2">
          <Trans>The address leads nowhere in this reader.</Trans>
        </p>
        <Link href="/all" className="btn btn-main">
          <Trans>Go to all items</Trans>
        </Link>
      </main>
    </div>
  );
}
