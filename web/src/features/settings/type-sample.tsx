import { Trans } from "@lingui/react/macro";
import { useSetting } from "@/data/settings";

/** The type that is set, in both languages: what reads well in one may not in the other. */
export function TypeSample() {
  return (
    <figure className="sample">
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

const mincho = '"Hiragino Mincho ProN", "Yu Mincho", "Noto Serif CJK JP", serif';

function Text({ lang, text }: { lang: "ja" | "en"; text: string }) {
  const font = useSetting("readingFont");
  const step = useSetting("textStep");
  const lineHeight = useSetting("lineHeight");
  const measure = useSetting("measure");
  const isJa = lang === "ja";
  const widths = isJa ? { narrow: 34, normal: 38, wide: 44 } : { narrow: 30, normal: 34, wide: 40 };
  return (
    <p
      lang={lang}
      style={{
        fontFamily: font === "mincho" ? mincho : undefined,
        fontSize: `${((isJa ? 17 : 18) + step * 1.5) / 16}rem`,
        lineHeight: lineHeight === "auto" ? (isJa ? 1.85 : 1.6) : lineHeight,
        maxInlineSize: `${widths[measure]}em`,
      }}
    >
      {text}
    </p>
  );
}
