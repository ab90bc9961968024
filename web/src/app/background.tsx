import "@/ui/status.css";
import "@/ui/toast"; // before the first one is shown
import { OfflineBar } from "./offline-bar";
import { UpdatePill } from "./update-pill";
import { useOfflineCopy } from "./use-offline-copy";
import { useTranslatedData } from "./use-translated-data";

/** Background work, and the bars that report it. */
export function Background() {
  useOfflineCopy();
  useTranslatedData();
  return (
    <>
      <UpdatePill />
      <OfflineBar />
    </>
  );
}
