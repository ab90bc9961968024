import { Trans, useLingui } from "@lingui/react/macro";
import { LoaderCircle } from "lucide-react";
import { useImport } from "@/data/imports";
import { ImportShare } from "@/ui/import-share";
import { showToast } from "@/ui/toasts";
import "./adding.css";

interface Props {
  id: string;
  onOpen: (id: string) => void;
}

/** The progress of a long import while reading; a toast reports its end. */
export function ImportProgress({ id, onOpen }: Props) {
  const { t } = useLingui();
  const { data } = useImport(id, (report) => {
    const { imported, failed } = report;
    const text =
      report.archive && report.state === "completed"
        ? report.kind === "reader"
          ? t`Moved in from the other reader.`
          : t`Archive imported.`
        : failed > 0
          ? t`Import finished: ${imported} added, ${failed} failed`
          : t`Import finished: ${imported} added`;
    showToast(text, { label: t`Show`, run: () => onOpen(id) });
  });
  if (!data) return null;
  return (
    <button type="button" className="import-progress" onClick={() => onOpen(id)}>
      <LoaderCircle className="spin" size={16} />
      <Trans>
        Importing <ImportShare report={data} />
      </Trans>
    </button>
  );
}
