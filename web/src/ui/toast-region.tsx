import { lazy, Suspense } from "react";
import { type Toast as Content, useToast } from "./toasts";

const Toast = lazy(() =>
  import("./toast").then(
    (m) => ({ default: m.Toast }),
    // Offline before it was loaded.
    () => ({
      default: ({ toast }: { toast: Content }) => <div className="toast">{toast.text}</div>,
    }),
  ),
);

/** The live region is always mounted, so that toasts are announced. */
export function ToastRegion() {
  const toast = useToast();
  return (
    <div className="toast-place">
      <div role="status" aria-live="polite">
        <Suspense fallback={null}>{toast && <Toast key={toast.key} toast={toast} />}</Suspense>
      </div>
    </div>
  );
}
