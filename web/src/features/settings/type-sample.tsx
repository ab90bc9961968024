import { Trans } from "@lingui/react/macro";
import { useReadingStyle } from "@/ui/reading-style";

/** A sample of the text settings in both languages. */
export function TypeSample() {
  return (
    <figure className="sample typeset" {...useReadingStyle()}>
      <figcaption className="hint">
        <Trans>Sample</Trans>
      </figcaption>
      <Text
        lang="ja"
        text="ラピスラズリを砕いた瑠璃色は、海を越えて運ばれてきた。文字を組むことは、読む人の時間を整えることでもある。"
      />
      <Text
        lang="en"
        text="Ultramarine came from across the sea, ground from lapis lazuli. To set text well is to take care of the reader’s time."
      />
    </figure>
  );
}

function Text({ lang, text }: { lang: "ja" | "en"; text: string }) {
  return (
    <div className="article" lang={lang}>
      <p className="prose">{text}</p>
    </div>
  );
}
