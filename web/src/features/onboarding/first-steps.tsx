import { Trans, useLingui } from "@lingui/react/macro";
import { FileUp, Package, Plus, Smartphone, X } from "lucide-react";
import { useId, useState } from "react";
import { useFeeds } from "@/data/feeds";
import { useMe } from "@/data/me";
import { useText } from "@/data/preferences";
import { runCommand } from "@/keys/use-command";
import { IconButton } from "@/ui/icon-button";
import { Link } from "@/ui/link";
import { phone, useMedia } from "@/ui/use-media";
import { PasswordStep } from "./password-step";
import { PhoneStep } from "./phone-step";
import { endStart, notePhone, startPreference } from "./start-state";
import "./first-steps.css";

interface Props {
  onImport: () => void;
  /** The address of this page; a test has another one. */
  address?: string;
}

/** What a new installation begins with, until all is done or the person hides it. */
export function FirstSteps({ onImport, address = `${location.origin}/` }: Props) {
  const { t } = useLingui();
  const id = useId();
  const state = useText(startPreference);
  const feeds = useFeeds().data?.feeds;
  const hasOwn = feeds?.some((feed) => !feed.isSample) === true;
  const isPhone = useMedia(phone);
  const needsPassword = useMe().data?.needsPassword === true;
  const [isPhoneOpen, setPhoneOpen] = useState(false);
  // What is done shows as done until the page is left.
  const [wasPhoneDone] = useState(state === "phone");
  const isNew = state === null ? !hasOwn : state !== "";
  if (!feeds || !isNew || ((wasPhoneDone || isPhone) && hasOwn && !needsPassword)) return null;
  return (
    <section className="first-steps" aria-labelledby={id}>
      <header>
        <h2 id={id}>
          <Trans>Get started</Trans>
        </h2>
        <IconButton label={t`Hide the first steps`} icon={<X />} onClick={endStart} />
      </header>
      <div className="steps">
        <button type="button" className="btn" onClick={onImport}>
          <FileUp size={16} />
          <Trans>Import OPML</Trans>
        </button>
        <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
          <Plus size={16} />
          <Trans>Add a feed</Trans>
        </button>
        <Link className="btn" href="/welcome">
          <Package size={16} />
          <Trans>Starter packs</Trans>
        </Link>
        {!isPhone && (
          <button
            type="button"
            className="btn"
            aria-expanded={isPhoneOpen}
            aria-controls={`${id}-phone`}
            onClick={() => {
              setPhoneOpen(!isPhoneOpen);
              notePhone();
            }}
          >
            <Smartphone size={16} />
            <Trans>Read on your phone</Trans>
          </button>
        )}
      </div>
      <div id={`${id}-phone`} hidden={!isPhoneOpen}>
        {isPhoneOpen && <PhoneStep address={address} />}
      </div>
      {needsPassword && <PasswordStep />}
    </section>
  );
}
