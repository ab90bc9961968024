import { Trans, useLingui } from "@lingui/react/macro";
import { Flame } from "lucide-react";
import { useEffect, useState } from "react";
import { useMe } from "@/data/me";
import { readPreference, setPreference } from "@/data/preferences";
import { Link } from "@/ui/link";
import "./onboarding.css";

export const countsHintPreference = "countsHint";

/** Suggests bookmark counts to the owner, once: Hatena knows Japanese pages above all. */
export function CountsHint() {
  const { t } = useLingui();
  const me = useMe().data;
  const [isNew, setIsNew] = useState(() => readPreference(countsHintPreference) === null);
  const isShown = isNew && me?.user.isOwner === true && me.bookmarkCounts === false;
  useEffect(() => {
    if (isShown) setPreference(countsHintPreference, "shown");
  }, [isShown]);
  if (!isShown) return null;
  return (
    <aside className="hint" aria-label={t`Tip`}>
      <Flame />
      <p role="status">
        <Trans>
          Articles can show how many people have bookmarked them at Hatena. For this, links of
          articles are sent to Hatena; nothing is sent until you switch it on.
        </Trans>
      </p>
      <div className="buttons">
        <Link className="quiet" href="/settings/popularity">
          <Trans>Settings for bookmark counts</Trans>
        </Link>
        <button type="button" className="btn" onClick={() => setIsNew(false)}>
          <Trans>Got it</Trans>
        </button>
      </div>
    </aside>
  );
}
