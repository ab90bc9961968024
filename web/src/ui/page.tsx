import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowLeft } from "lucide-react";
import { type ReactNode, type Ref, useEffect, useRef } from "react";
import { Link } from "./link";
import "./page.css";

interface Props {
  title: string;
  /** The language of the title, where it differs from the interface. */
  lang?: string;
  /** For a page that lies below another one. */
  back?: { href: string; label: string };
  actions?: ReactNode;
  busy?: boolean;
  /** Identifies the page: the heading of another one gets the focus. */
  place: string;
  className?: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}

/** A screen besides the reader: a header, and one scrolling column. */
export function Page(props: Props) {
  const { title, lang, back, actions, busy, place, className, ref, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Ruri`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focuses the heading of each page
  useEffect(() => heading.current?.focus({ preventScroll: true }), [place]);
  return (
    <div className={className ? `page ${className}` : "page"}>
      <header className="pane-head">
        {back && (
          <Link href={back.href} className="icon-btn" aria-label={back.label}>
            <ArrowLeft />
          </Link>
        )}
        <h1 ref={heading} tabIndex={-1} dir="auto" lang={lang}>
          {title}
        </h1>
        {actions}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has nothing to focus in it */}
      <main tabIndex={0} aria-busy={busy} ref={ref}>
        <div className="column">{children}</div>
      </main>
    </div>
  );
}

/** A placeholder while a page is loading. */
export function PageSkeleton({ rows }: { rows: number }) {
  const { t } = useLingui();
  return (
    <section className="card" aria-label={t`Loading…`}>
      <span className="sr-only" role="status">
        <Trans>Loading…</Trans>
      </span>
      <div className="skeleton mb-4 h-5 w-40" />
      {Array.from({ length: rows }, (_, at) => at).map((at) => (
        <div key={at} className="skeleton my-3 h-8" />
      ))}
    </section>
  );
}
