import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { startMoveIn } from "@/data/imports";
import { AddressInput } from "@/ui/address-input";
import { ErrorNote } from "@/ui/error-note";
import { useForm } from "@/ui/use-form";

interface Props {
  onBegun: (id: string) => void;
}

/** Takes what somebody has in another reader, by its API. */
export function MoveInForm({ onBegun }: Props) {
  const client = useQueryClient();
  const id = useId();
  const { busy, error, onSubmit } = useForm(async (data) => {
    const text = (name: string) => String(data.get(name));
    const login = text("login").trim();
    const account = { url: text("url").trim(), password: text("password"), login };
    onBegun((await startMoveIn(client, account)).id);
  });
  return (
    <details>
      <summary className="font-semibold">
        <Trans>Move in from another reader</Trans>
      </summary>
      <form onSubmit={onSubmit} className="adding mt-2">
        <p className="text-ink2">
          <Trans>
            Brings feeds, folders, read, starred and labelled articles from Miniflux, and from
            FreshRSS, BazQux and others with the Google Reader API.
          </Trans>
        </p>
        <div className="field">
          <label htmlFor={`${id}-url`}>
            <Trans>Address of the reader</Trans>
          </label>
          <AddressInput
            id={`${id}-url`}
            name="url"
            required
            placeholder="https://rss.example.org"
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-login`}>
            <Trans>Name or email address there (empty with an API token of Miniflux)</Trans>
          </label>
          <input id={`${id}-login`} name="login" autoComplete="off" maxLength={254} />
        </div>
        <div className="field">
          <label htmlFor={`${id}-password`}>
            <Trans>Password or token there</Trans>
          </label>
          <input
            id={`${id}-password`}
            name="password"
            type="password"
            autoComplete="off"
            required
            maxLength={1024}
          />
        </div>
        {error && <ErrorNote error={error} />}
        <div>
          <button type="submit" className="btn" aria-disabled={busy}>
            <Trans>Move in</Trans>
          </button>
        </div>
      </form>
    </details>
  );
}
