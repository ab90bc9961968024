import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@/ui/link";
import { Page } from "@/ui/page";

export function NotFound() {
  const { t } = useLingui();
  return (
    <Page title={t`Page not found`} place="not-found">
      <p className="mb-6 text-ink2">
        <Trans>Nothing is at this address. It may be mistyped, or the page was removed.</Trans>
      </p>
      <Link href="/" className="btn btn-main self-start">
        <Trans>Go to Today</Trans>
      </Link>
    </Page>
  );
}
