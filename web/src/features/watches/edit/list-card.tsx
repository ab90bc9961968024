import { Trans } from "@lingui/react/macro";
import type { Preview } from "@/data/watches";
import { Note } from "@/ui/note";
import { Candidates } from "./candidates";
import { Refusal } from "./refusal";
import { RowParts } from "./row-parts";
import type { PreviewState } from "./use-preview";

interface Props {
  page: Preview;
  preview: PreviewState;
  canFindAnew: boolean;
  /** Fetches the page once more; `isAnew`: without the layout of the watch. */
  onBegin: (isAnew: boolean) => void;
}

/** The page, the lists in it, and the fields of their rows. */
export function ListCard({ page, preview, canFindAnew, onBegin }: Props) {
  const { found, error } = preview;
  return (
    <section className="card" aria-labelledby="rows">
      <h2 id="rows">
        <Trans>Choose the list</Trans>
        <a className="count" href={page.url} target="_blank" rel="noopener noreferrer">
          {page.title || page.url}
        </a>
      </h2>
      {page.problem && (
        <Note kind="warn" live>
          <strong>{page.problem.message}</strong> {page.problem.help}
        </Note>
      )}
      {page.warnings.map((one) => (
        <Note key={one.code} kind="warn">
          {one.message}
        </Note>
      ))}
      <Candidates
        list={page.candidates}
        chosen={preview.chosen}
        onChoose={preview.choose}
        canFindAnew={canFindAnew}
        onFindAnew={() => onBegin(true)}
        isLooking={preview.isLooking}
      />
      {found && found.rows.length > 0 && (
        <RowParts
          key={JSON.stringify(preview.chosen?.layout.rows)}
          parts={preview.parts}
          count={found.rows.length}
          layout={found.layout}
          onAssign={preview.setLayout}
        />
      )}
      {error && (
        <Refusal
          error={error}
          {...(error.code === "preview_expired" ? { onRetry: () => onBegin(false) } : {})}
        />
      )}
    </section>
  );
}
