import { Trans, useLingui } from "@lingui/react/macro";
import { ArrowLeft } from "lucide-react";
import { Suspense, useEffect, useRef } from "react";
import { useMe } from "@/data/me";
import { go, readerPlace } from "@/data/use-route";
import { settingsGroups, settingsPages } from "@/keys/settings-names";
import { useCommands } from "@/keys/use-command";
import { Link } from "@/ui/link";
import { Note } from "@/ui/note";
import { phone, useMedia } from "@/ui/use-media";
import { sections } from "./sections";
import "./settings.css";

interface Props {
  /** From the address; null is the list, with the first section in wide windows. */
  section: string | null;
  onImport: () => void;
}

export function SettingsScreen({ section, onImport }: Props) {
  const { t, i18n } = useLingui();
  const me = useMe();
  const isPhone = useMedia(phone);
  const screen = useRef<HTMLDivElement>(null);
  const isOwner = me.data?.user.isOwner === true;
  const shown = settingsPages.filter((one) => isOwner || one.group !== "server");
  const wanted = section ?? (isPhone ? null : "display");
  const here = shown.find((one) => one.id === wanted);
  const title = here ? i18n._(here.label) : t`Settings`;
  const up = isPhone && section !== null ? "/settings" : readerPlace();

  useEffect(() => {
    document.title = `${title} · Ruri`;
  }, [title]);
  // Screen readers go on from the heading.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is another heading
  useEffect(() => {
    screen.current?.querySelector("h1")?.focus({ preventScroll: true });
  }, [wanted]);
  useCommands({ back: () => go(up) });

  const nav = (
    <nav aria-label={t`Settings`}>
      {settingsGroups.map(([group, name]) => {
        const pages = shown.filter((one) => one.group === group);
        if (pages.length === 0) return null;
        return (
          <section key={group} aria-label={i18n._(name)}>
            <p className="group">{i18n._(name)}</p>
            <ul>
              {pages.map(({ id, label }) => {
                const Icon = sections[id].icon;
                return (
                  <li key={id}>
                    <Link
                      href={`/settings/${id}`}
                      aria-current={id === wanted ? "page" : undefined}
                    >
                      <Icon aria-hidden="true" />
                      {i18n._(label)}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </section>
        );
      })}
    </nav>
  );
  const Content = here && sections[here.id].Content;

  return (
    <div className="settings" ref={screen}>
      <header className="pane-head">
        {isPhone && section !== null && (
          <Link href="/settings" className="icon-btn" aria-label={t`Back to settings`}>
            <ArrowLeft />
          </Link>
        )}
        {isPhone ? (
          <h1 tabIndex={-1}>{title}</h1>
        ) : (
          <p className="title">
            <Trans>Settings</Trans>
          </p>
        )}
      </header>
      <div className="zones">
        {!isPhone && nav}
        {isPhone && section === null ? (
          <main>{nav}</main>
        ) : (
          <main>
            <div className="section" key={wanted}>
              {!isPhone && <h1 tabIndex={-1}>{title}</h1>}
              {Content ? (
                <Suspense fallback={null}>
                  <Content onImport={onImport} />
                </Suspense>
              ) : (
                !me.isPending && (
                  <Note kind="warn">
                    <Trans>These settings do not exist.</Trans>
                  </Note>
                )
              )}
            </div>
          </main>
        )}
      </div>
    </div>
  );
}
