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
import { fileSize } from "@/i18n/format";
import { showUndo } from "@/ui/toasts";
import { Choice } from "./controls";

/** How much of it this device keeps for times without a network; a matter of the device, not of the person. */
export function Offline() {
  const { t } = useLingui();
  const amount = useOfflineAmount();
  const card = useRef<HTMLElement>(null);
  const name = (one: OfflineAmount) => (one === "0" ? t`None` : one);

  const choose = (next: OfflineAmount, text: string) => {
    if (next === amount) return;
    setOfflineAmount(next);
    showUndo(text, t`Undo`, () => setOfflineAmount(amount));
  };
  const remove = () => {
    choose("0", t`The copy is removed from this device. Nothing more is kept.`);
    // The button goes; its answer is the choice.
    card.current?.querySelector<HTMLElement>("input[type=radio]")?.focus();
  };
  return (
    <section className="card" ref={card} aria-labelledby="copy">
      <h2 id="copy">
        <Trans>Kept on this device</Trans>
      </h2>
      <p>
        <Trans>
          Lists and texts are fetched while you do something else, and can be read where there is no
          network. What you mark there is sent when there is one again.
        </Trans>
      </p>
      <Choice
        label={t`Newest articles`}
        hint={t`Unread ones before others, and all starred ones beside them. Images are not kept.`}
        value={amount}
        options={offlineAmounts.map((value) => ({ value, label: name(value) }))}
        onChoose={({ value }) => choose(value, t`Kept on this device: ${name(value)}`)}
      />
      <InUse onRemove={amount === "0" ? null : remove} />
    </section>
  );
}

function InUse({ onRemove }: { onRemove: (() => void) | null }) {
  const { i18n } = useLingui();
  // The copy grows while one looks at it.
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
          <Trans>In use</Trans>
        </span>
        <p className="hint tabular-nums" data-articles={data?.articles}>
          {data === undefined ? (
            "…"
          ) : data.articles === 0 ? (
            <Trans>Nothing is kept at present.</Trans>
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
          <Trash aria-hidden="true" size={16} />
          <Trans>Remove the copy</Trans>
        </button>
      )}
    </div>
  );
}
