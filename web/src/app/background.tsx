import "@/ui/status.css";
import { UpdatePill } from "./update-pill";

/** What goes on beside the screens. */
export function Background() {
  return <UpdatePill />;
}
