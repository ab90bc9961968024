import { Trans, useLingui } from "@lingui/react/macro";
import { useSetting } from "@/data/settings";
import { SettingChoice, SettingSwitch } from "./controls";
import { Gestures } from "./gestures";

const sizes: readonly number[] = [20, 50, 100];

export function Reading() {
  const { t } = useLingui();
  const size = useSetting("itemsPerPage");
  // Programs may have set another number: it is shown, and lost only when another is chosen.
  const offered = [...new Set([...sizes, size])].sort((a, b) => a - b);
  return (
    <>
      <section className="card" aria-labelledby="marks">
        <h2 id="marks">
          <Trans>Marking as read</Trans>
        </h2>
        <SettingSwitch name="autoMarkAsRead" label={t`When an item is opened`} />
        <SettingSwitch
          name="markOnScroll"
          label={t`When an item is scrolled past`}
          hint={t`Only items that you really saw; never by jumping or going back.`}
        />
      </section>
      <section className="card" aria-labelledby="lists">
        <h2 id="lists">
          <Trans>Lists and articles</Trans>
        </h2>
        <SettingChoice
          name="order"
          label={t`Order`}
          options={[
            { value: "new", label: t`Newest first` },
            { value: "old", label: t`Oldest first` },
          ]}
        />
        <SettingChoice
          name="itemsPerPage"
          label={t`Items loaded at a time`}
          options={offered.map((value) => ({ value, label: String(value) }))}
        />
        <SettingSwitch
          name="showImages"
          label={t`Show images`}
          hint={t`Without them you can still load those of one article.`}
        />
      </section>
      <Gestures />
    </>
  );
}
