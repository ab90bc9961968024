import "@/ui/status.css";
import { OfflineBar } from "./offline-bar";
import { UpdatePill } from "./update-pill";
import { useOfflineCopy } from "./use-offline-copy";

/** What goes on beside the screens. */
export function Background() {
  useOfflineCopy();
  return (
    <>
      <UpdatePill />
      <OfflineBar />
    </>
  );
}
