import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { forgetLists } from "@/data/mutations/lists";
import { useSetting } from "@/data/settings";
import { SettingChoice, SettingSwitch } from "./controls";
import { Gestures } from "./gestures";

const sizes: readonly number[] = [20, 50, 100];

export function Reading() {
  const { t } = useLingui();
  const client = useQueryClient();
  const size = useSetting("itemsPerPage");
  // API clients may have set another number, which is offered too.
  const offered = [...new Set([...sizes, size])].sort((a, b) => a - b);
  return (
    <>
      <section className="card" aria-labelledby="marks">
        <h2 id="marks">
          <Trans>Mark as read</Trans>
        </h2>
        <SettingSwitch name="autoMarkAsRead" label={t`When opened`} />
        <SettingSwitch
          name="markOnScroll"
          label={t`When scrolled past`}
          hint={t`Only articles you actually scrolled past`}
        />
      </section>
      <section className="card" aria-labelledby="lists">
        <h2 id="lists">
          <Trans>Lists and articles</Trans>
        </h2>
        <SettingChoice
          name="order"
          label={t`Sort`}
          options={[
            { value: "new", label: t`Newest first` },
            { value: "old", label: t`Oldest first` },
          ]}
        />
        <SettingChoice
          name="itemsPerPage"
          label={t`Articles per page`}
          options={offered.map((value) => ({ value, label: String(value) }))}
        />
        <SettingSwitch
          name="showImages"
          label={t`Show images`}
          hint={t`When off, you can still load images per article`}
        />
      </section>
      <section className="card" aria-labelledby="searching">
        <h2 id="searching">
          <Trans>Search</Trans>
        </h2>
        <SettingSwitch
          name="searchKana"
          label={t`Treat hiragana and katakana as the same`}
          hint={t`さくら also finds サクラ, except in quotes`}
          onSaved={() => void forgetLists(client)}
        />
      </section>
      <section className="card" aria-labelledby="use">
        <h2 id="use">
          <Trans>Usage totals</Trans>
        </h2>
        <SettingSwitch
          name="countUse"
          label={t`Count clicks, opened tags and searches`}
          hint={t`Daily totals on the owner's server page. With several people, an entry appears only if at least two share it.`}
        />
      </section>
      <Gestures />
    </>
  );
}
