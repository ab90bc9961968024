import { Trans, useLingui } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";
import { useImport } from "@/data/imports";
import { showToast } from "@/ui/toasts";
import "./adding.css";

interface Props {
  id: string;
  onOpen: (id: string) => void;
}

/** A long import, small beside the reading; in the end a toast says what came of it. */
export function ImportProgress({ id, onOpen }: Props) {
  const { t } = useLingui();
  const { data } = useImport(id, (report) => {
    const { imported, failed } = report;
    const text =
      failed > 0
        ? t`The import is done: ${imported} added, ${failed} failed.`
        : t`The import is done: ${imported} added.`;
    showToast(text, { label: t`Show`, run: () => onOpen(id) });
  });
  if (!data) return null;
  return (
    <button type="button" className="import-progress" onClick={() => onOpen(id)}>
      <LoaderCircle className="spin" size={16} aria-hidden="true" />
      <Trans>
        Importing {data.done} of {data.total}
      </Trans>
    </button>
  );
}
