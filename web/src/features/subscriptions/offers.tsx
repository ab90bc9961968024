import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Check } from "lucide-react";
import { useId } from "react";
import type { Offer } from "@/data/discover";
import { absoluteTime, relativeTime } from "@/i18n/format";
import { dollars, perWeek } from "@/i18n/numbers";
import { textLang } from "@/i18n/text-lang";
import { useNow } from "@/i18n/use-now";

interface Props {
  offers: readonly Offer[];
  chosen: string;
  onChoose: (url: string) => void;
}

/** The found feeds to choose from. */
export function Offers({ offers, chosen, onChoose }: Props) {
  const name = useId();
  return (
    <fieldset className="offers">
      <legend>
        <Plural value={offers.length} one="# feed was found" other="# feeds were found" />
      </legend>
      <ul>
        {offers.map((offer) => (
          <li key={offer.url}>
            <label className="offer">
              <input
                type="radio"
                name={name}
                value={offer.url}
                checked={offer.url === chosen}
                onChange={() => onChoose(offer.url)}
              />
              <OfferText offer={offer} />
            </label>
            {offer.url === chosen && offer.newest.length > 0 && <Preview offer={offer} />}
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function OfferText({ offer }: { offer: Offer }) {
  const { i18n } = useLingui();
  const now = useNow();
  const { locale } = i18n;
  const type = typeName(offer.type);
  const language = languageName(offer.language, locale);
  const weekly = offer.itemsPerWeek;
  return (
    <span className="text">
      <strong dir="auto" lang={textLang(offer.language, offer.title, locale)}>
        {offer.title || offer.url}
      </strong>
      <span className="facts">
        {offer.isSubscribed && (
          <span className="mine">
            <Check size={14} />
            <Trans>Subscribed</Trans>
          </span>
        )}
        {type && <span>{type}</span>}
        {weekly !== null && (
          <span>
            <Trans>{perWeek(weekly, locale)} per week</Trans>
          </span>
        )}
        {offer.lastItemAt && (
          <time dateTime={offer.lastItemAt} title={absoluteTime(offer.lastItemAt, locale)}>
            <Trans>latest {relativeTime(offer.lastItemAt, now, locale)}</Trans>
          </time>
        )}
        {language && <span>{language}</span>}
        {offer.monthlyUSD !== null && (
          <span>
            <Trans>about {dollars(offer.monthlyUSD, locale)} per month without the free tier</Trans>
          </span>
        )}
        {!offer.isChecked && (
          <span>
            <Trans>listed on the page, not checked</Trans>
          </span>
        )}
      </span>
      <span className="url">{offer.url}</span>
    </span>
  );
}

function Preview({ offer }: { offer: Offer }) {
  const { t, i18n } = useLingui();
  const now = useNow();
  return (
    <ul className="preview" aria-label={t`Latest articles`}>
      {offer.newest.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items may be alike, and the list never changes
        <li key={index}>
          <span dir="auto" lang={textLang(offer.language, item.title, i18n.locale)}>
            {item.title || <Trans>Untitled</Trans>}
          </span>
          {item.publishedAt && (
            <time dateTime={item.publishedAt}>
              {relativeTime(item.publishedAt, now, i18n.locale)}
            </time>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The short name of a media type; names of formats are the same in every language. */
function typeName(type: string | null): string {
  if (!type) return "";
  if (/atom/i.test(type)) return "Atom";
  if (/rdf/i.test(type)) return "RSS 1.0";
  if (/json/i.test(type)) return "JSON Feed";
  return /rss|xml/i.test(type) ? "RSS" : "";
}

function languageName(tag: string, locale: string): string {
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(tag)) return "";
  try {
    const [language = ""] = tag.split("-");
    return new Intl.DisplayNames(locale, { type: "language", fallback: "none" }).of(language) ?? "";
  } catch {
    return "";
  }
}
