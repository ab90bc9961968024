import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { outward } from "@/data/base";
import { useMe } from "@/data/me";
import { runCommand } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Logo } from "@/ui/logo";

export function About() {
  const me = useMe();
  const { i18n } = useLingui();
  const { version, limits, user } = me.data ?? {};
  return (
    <section className="card about">
      <p className="name">
        <Logo size={32} />
        Ruri Reader
      </p>
      {me.isError && <ErrorNote error={me.error} onRetry={() => void me.refetch()} />}
      <dl className="facts">
        <dt>
          <Trans>Version</Trans>
        </dt>
        <dd>{version}</dd>
        <dt>
          <Trans>Signed in as</Trans>
        </dt>
        <dd>{user?.email}</dd>
        <dt>
          <Trans>Subscription limit</Trans>
        </dt>
        <dd>{limits && <Plural value={limits.feeds} one="# feed" other="# feeds" />}</dd>
      </dl>
      <ul className="links">
        <li>
          <a
            className="btn"
            href={outward(i18n.locale === "ja" ? "/help/ja/" : "/help/")}
            target="_blank"
            rel="noopener noreferrer"
          >
            <Trans>User guide</Trans>
          </a>
        </li>
        <li>
          <button type="button" className="btn" onClick={() => runCommand("help")}>
            <Trans>Keyboard shortcuts</Trans>
          </button>
        </li>
        <li>
          <a
            className="btn"
            href={outward("/api/openapi.json")}
            target="_blank"
            rel="noopener noreferrer"
          >
            <Trans>API reference</Trans>
          </a>
        </li>
      </ul>
    </section>
  );
}
