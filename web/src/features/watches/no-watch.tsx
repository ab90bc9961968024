import { Trans } from "@lingui/react/macro";
import { SearchX } from "lucide-react";
import { Link } from "@/ui/link";

/** There is no such watch, or no such page of one. */
export function NoWatch() {
  return (
    <section className="card">
      <div className="state">
        <SearchX />
        <p className="title">
          <Trans>There is no such watch</Trans>
        </p>
        <p>
          <Trans>It may have been deleted.</Trans>
        </p>
        <Link href="/watches" className="btn">
          <Trans>Show all watches</Trans>
        </Link>
      </div>
    </section>
  );
}
