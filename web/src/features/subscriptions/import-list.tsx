import { Plural, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { importsQuery, isRunning } from "@/data/imports";
import { absoluteTime } from "@/i18n/format";
import { ImportShare } from "@/ui/import-share";

interface Props {
  shown: string | null;
  onShow: (id: string) => void;
}

/** The imports of the last weeks. */
export function EarlierImports({ shown, onShow }: Props) {
  const { i18n } = useLingui();
  const { data } = useQuery(importsQuery);
  const others = data?.filter((one) => one.id !== shown) ?? [];
  if (others.length === 0) return null;
  return (
    <details>
      <summary className="font-semibold">
        <Plural value={others.length} one="# earlier import" other="# earlier imports" />
      </summary>
      <ul className="earlier">
        {others.map((one) => (
          <li key={one.id}>
            <button type="button" onClick={() => onShow(one.id)}>
              <span className="name">{one.name || absoluteTime(one.createdAt, i18n.locale)}</span>
              <span className="facts">
                {one.name && <span>{absoluteTime(one.createdAt, i18n.locale)}</span>}
                <span>
                  {isRunning(one) ? (
                    <ImportShare report={one} />
                  ) : (
                    <Plural
                      value={one.imported}
                      one="# feed was added."
                      other="# feeds were added."
                    />
                  )}
                </span>
                {one.failed > 0 && (
                  <span className="text-err">
                    <Plural value={one.failed} one="# failed" other="# failed" />
                  </span>
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
