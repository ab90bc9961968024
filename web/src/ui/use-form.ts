import { type FormEvent, useState } from "react";
import { type ApiError, toApiError } from "@/data/api-error";

/** A form that sends once at a time, and keeps its values when it is refused. */
export function useForm(send: (data: FormData) => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    setBusy(true);
    setError(null);
    try {
      await send(new FormData(form));
      form.reset();
      // Closes the details element around the form, and focuses its summary.
      const unfolded = form.closest("details");
      unfolded?.querySelector("summary")?.focus();
      unfolded?.removeAttribute("open");
    } catch (cause) {
      setError(toApiError(cause));
      form.querySelector<HTMLElement>("input")?.focus();
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, onSubmit };
}
