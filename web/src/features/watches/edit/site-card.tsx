import { Trans, useLingui } from "@lingui/react/macro";
import { Ban, CircleCheck, ExternalLink } from "lucide-react";
import { useId } from "react";
import type { Preview } from "@/data/watches";
import { sentences } from "@/i18n/problem-text";

interface Props {
  page: Preview;
  /** The page can be watched if the person confirms that this is permitted. */
  canAccept: boolean;
  isAccepted: boolean;
  isMissing: boolean;
  onAccept: (isAccepted: boolean) => void;
}

/** What the site allows, how much it is asked, and the person's confirmation. */
export function SiteCard({ page, canAccept, isAccepted, isMissing, onAccept }: Props) {
  const { t, i18n } = useLingui();
  const id = useId();
  const { robots, terms, host } = page;
  const use = ({ used, needed, limit }: { used: number; needed: number; limit: number }) =>
    t`${used + needed} of ${limit}`;
  const isTooMuch = [host.hour, host.day].some(({ used, needed, limit }) => used + needed > limit);
  return (
    <section className="card site-card" aria-labelledby="site">
      <h2 id="site">{host.host}</h2>
      <ul className="permits">
        <li data-ok={robots.allowed}>
          {robots.allowed ? <CircleCheck /> : <Ban />}
          <span>
            {sentences(
              i18n.locale,
              robots.allowed
                ? t`robots.txt allows programs to read this page.`
                : t`robots.txt asks programs not to read this page.`,
              robots.crawlDelay > 0 &&
                t`It asks for ${robots.crawlDelay} seconds between two requests.`,
            )}
          </span>
        </li>
        <li data-ok={!isTooMuch}>
          {isTooMuch ? <Ban /> : <CircleCheck />}
          <span>
            {sentences(
              i18n.locale,
              t`This site, with this watch: ${use(host.hour)} requests per hour, ${use(host.day)} per day`,
              isTooMuch && t`Choose a longer interval.`,
            )}
          </span>
        </li>
        <li>
          <ExternalLink />
          <span>
            {terms ? (
              <a href={terms} target="_blank" rel="noopener noreferrer">
                <Trans>Terms of service of the site</Trans>
              </a>
            ) : (
              <Trans>The page does not link to terms of service; look for them on the site.</Trans>
            )}
          </span>
        </li>
      </ul>
      {canAccept && (
        <label className="check">
          <input
            type="checkbox"
            checked={isAccepted}
            aria-invalid={isMissing || undefined}
            aria-describedby={isMissing ? id : undefined}
            onChange={(event) => onAccept(event.target.checked)}
          />
          <span>
            <Trans>I've read the terms, and they allow this</Trans>
          </span>
        </label>
      )}
      {isMissing && (
        <p id={id} className="wrong">
          <Trans>Read the terms of the site, and confirm that they permit this.</Trans>
        </p>
      )}
    </section>
  );
}
