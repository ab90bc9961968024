import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Trash } from "lucide-react";
import { useRef } from "react";
import {
  type OfflineAmount,
  offlineAmounts,
  setOfflineAmount,
  useOfflineAmount,
} from "@/data/offline/amount";
import { offlineUsage } from "@/data/offline/usage";
import { setPreference, usePreference } from "@/data/preferences";
import { fileSize } from "@/i18n/numbers";
import { offerUndo } from "@/ui/undo";
import { Choice, Switch } from "./controls";

/** How much this device stores for reading offline. */
export function Offline() {
  const { t } = useLingui();
  const amount = useOfflineAmount();
  const card = useRef<HTMLElement>(null);
  const name = (one: OfflineAmount) => (one === "0" ? t`None` : one);

  const choose = (next: OfflineAmount, text: string) => {
    if (next === amount) return;
    setOfflineAmount(next);
    offerUndo(text, () => setOfflineAmount(amount));
  };
  const remove = () => {
    choose("0", t`Offline data deleted. Offline reading is now off.`);
    // The button is gone; the focus moves to the choice.
    card.current?.querySelector<HTMLElement>("input[type=radio]")?.focus();
  };
  return (
    <>
      <section className="card" ref={card} aria-labelledby="copy">
        <h2 id="copy">
          <Trans>Saved on this device</Trans>
        </h2>
        <p>
          <Trans>
            Articles download in the background so you can read them offline. Changes sync when you
            are back online.
          </Trans>
        </p>
        <Choice
          label={t`Articles to keep`}
          hint={t`Unread articles first, plus all starred articles. Images are not saved.`}
          value={amount}
          options={offlineAmounts.map((value) => ({ value, label: name(value) }))}
          onChoose={({ value }) => choose(value, t`Saved on this device: ${name(value)}`)}
        />
        <InUse onRemove={amount === "0" ? null : remove} />
      </section>
      {"setAppBadge" in navigator && <Badge />}
    </>
  );
}

function Badge() {
  const { t } = useLingui();
  const isOn = usePreference("badge", ["on", "off"], "off") === "on";
  return (
    <section className="card" aria-labelledby="icon">
      <h2 id="icon">
        <Trans>App icon</Trans>
      </h2>
      <Switch
        label={t`Show the unread count on the app icon`}
        hint={t`For the installed app, on devices that support it`}
        value={isOn}
        onChange={(wanted) => setPreference("badge", wanted ? "on" : "off")}
      />
    </section>
  );
}

function InUse({ onRemove }: { onRemove: (() => void) | null }) {
  const { i18n } = useLingui();
  // The copy may be growing.
  const { data } = useQuery({
    queryKey: ["offline-usage"],
    queryFn: offlineUsage,
    gcTime: 0,
    refetchInterval: 2_000,
  });
  const size = fileSize(data?.bytes ?? 0, i18n.locale);
  return (
    <div className="setting">
      <div className="text">
        <span>
          <Trans>Storage used</Trans>
        </span>
        <p className="hint tabular-nums" data-articles={data?.articles}>
          {data === undefined ? (
            "…"
          ) : data.articles === 0 ? (
            <Trans>Nothing saved yet</Trans>
          ) : (
            <Plural
              value={data.articles}
              one={`# article, ${size}`}
              other={`# articles, ${size}`}
            />
          )}
        </p>
      </div>
      {onRemove && (
        <button type="button" className="btn" onClick={onRemove}>
          <Trash size={16} />
          <Trans>Delete offline data</Trans>
        </button>
      )}
    </div>
  );
}
