import { Trans, useLingui } from "@lingui/react/macro";
import { BookOpen, FileUp, KeyRound, Link2, Package, Smartphone } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { toApiError } from "@/data/api-error";
import { useFeeds } from "@/data/feeds";
import { useMe } from "@/data/me";
import { leaveWelcome } from "@/data/mutations/welcome";
import { go } from "@/data/use-route";
import { useCommands } from "@/keys/use-command";
import { AddressInput } from "@/ui/address-input";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { Logo } from "@/ui/logo";
import { phone, useMedia } from "@/ui/use-media";
import { FeedProgress } from "./feed-progress";
import { armHints } from "./hint-state";
import "./onboarding.css";
import { PackPicker } from "./pack-picker";
import { PasswordStep } from "./password-step";
import { PhoneStep } from "./phone-step";
import { SampleNote } from "./sample-note";
import { armStart } from "./start-state";

interface Props {
  /** Opens the dialog with this address. */
  onAdd: (url: string) => void;
  /** Opens the import dialog; dropped files are handled by the window. */
  onImport: () => void;
}

/** The first run: three ways to add feeds, and the feeds added so far. */
export function WelcomeScreen({ onAdd, onImport }: Props) {
  const { t } = useLingui();
  const { data, error, refetch } = useFeeds();
  const feeds = data?.feeds ?? [];
  const needsPassword = useMe().data?.needsPassword;
  const isPhone = useMedia(phone);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => {
    document.title = `${t`Welcome`} · Ruri`;
  }, [t]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(armHints, []);
  useEffect(armStart, []);
  useEffect(() => leaveWelcome, []);
  useCommands({ back: () => go("/all") });

  return (
    <main className="welcome">
      <header>
        <Logo size={40} />
        <div className="min-w-0 flex-1">
          <h1 ref={heading} tabIndex={-1}>
            <Trans>Welcome to Ruri Reader</Trans>
          </h1>
          <p>
            <Trans>Add your first feeds in any of three ways.</Trans>
          </p>
        </div>
        {feeds.length > 0 ? (
          <Link className="btn btn-main" href="/">
            <BookOpen size={16} />
            <Trans>Start reading</Trans>
          </Link>
        ) : (
          <Link className="btn" href="/all">
            <Trans>Not now</Trans>
          </Link>
        )}
      </header>
      {error && !data && toApiError(error).status !== 401 && (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      )}
      <SampleNote feeds={feeds} />
      {needsPassword && (
        <Way icon={<KeyRound />} title={t`Set a password`}>
          <PasswordStep />
        </Way>
      )}
      <div className="ways">
        <Way icon={<Link2 />} title={t`Paste an address`}>
          <PasteWay onAdd={onAdd} />
        </Way>
        <Way icon={<FileUp />} title={t`Import subscriptions`}>
          <p>
            <Trans>
              Export your subscriptions as OPML from another reader, then drop the file on this
              page. Folders are kept.
            </Trans>
          </p>
          <button type="button" className="btn" onClick={onImport}>
            <Trans>Choose a file…</Trans>
          </button>
        </Way>
        <Way icon={<Package />} title={t`Starter packs`}>
          <PackPicker feeds={feeds} cap={data?.limits.feeds} />
        </Way>
        <FeedProgress feeds={feeds} />
      </div>
      {!isPhone && (
        <Way icon={<Smartphone />} title={t`Read on your phone`}>
          <PhoneStep address={`${location.origin}/`} />
        </Way>
      )}
    </main>
  );
}

function Way({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="way" aria-labelledby={id}>
      <h2 id={id}>
        {icon}
        {title}
      </h2>
      {children}
    </section>
  );
}

function PasteWay({ onAdd }: { onAdd: (url: string) => void }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const look = (text: string) => {
    if (text.trim() === "") {
      field.current?.focus();
      return;
    }
    setTyped("");
    onAdd(text.trim());
  };
  return (
    <form
      noValidate
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        look(typed);
      }}
    >
      <p>
        <Trans>Enter a blog, news site or channel. Ruri finds its feed.</Trans>
      </p>
      <div className="field">
        <label htmlFor={id}>
          <Trans>Feed or website address</Trans>
        </label>
        <AddressInput
          ref={field}
          id={id}
          placeholder="https://example.jp/"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onPaste={(event) => {
            if (typed !== "") return;
            event.preventDefault();
            look(event.clipboardData.getData("text"));
          }}
        />
      </div>
      <button type="submit" className="btn self-start">
        <Trans>Find feeds</Trans>
      </button>
    </form>
  );
}
