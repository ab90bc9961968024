import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { invite, type Site, setSite, useInvitations, useSite } from "@/data/account/people";
import { useRemoved } from "@/data/account/removals";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { ErrorNote } from "@/ui/error-note";
import { useForm } from "@/ui/use-form";
import { Choice } from "./controls";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card, Listed, RowButton, Secret } from "./parts";
import { useRemove } from "./use-remove";

/** Who may sign up; for the owner. */
export function People() {
  const { t } = useLingui();
  const client = useQueryClient();
  const site = useSite();
  const fresh = useFreshSignIn();
  return (
    <>
      <Card title={t`Sign-up`}>
        <Asked query={site}>
          {({ signUp }) => (
            <Choice<Site["signUp"]>
              label={t`Who may sign up`}
              value={signUp}
              options={[
                { value: "closed", label: t`No one` },
                { value: "invitation", label: t`Invited people only` },
                { value: "open", label: t`Anyone` },
              ]}
              onChoose={({ value, label }) =>
                void fresh.change(
                  `${t`Who may sign up`}: ${label}`,
                  () => setSite(client, { signUp: value }),
                  () => setSite(client, { signUp }),
                )
              }
            />
          )}
        </Asked>
        {fresh.dialog}
      </Card>
      <Invitations />
    </>
  );
}

const pathOf = (id: string) => `/api/invitations/${encodeURIComponent(id)}`;

function Invitations() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const invitations = useInvitations();
  const removed = useRemoved();
  const now = useNow();
  const remove = useRemove();
  const [link, setLink] = useState("");
  const fresh = useFreshSignIn();
  const { busy, error, onSubmit } = useForm((data) =>
    fresh.run(async () => setLink(await invite(client, String(data.get("note")).trim()))),
  );
  return (
    <Card title={t`Invitations`} hint={t`Each link can be used once and expires after a week.`}>
      <Asked query={invitations}>
        {(all) => (
          <ul>
            {all
              .filter((one) => !removed.has(pathOf(one.id)))
              .map((one) => {
                const name = one.note || t`No note`;
                const end = relativeTime(one.expiresAt, now, i18n.locale);
                return (
                  <Listed key={one.id} name={name} facts={[t`expires ${end}`]}>
                    <RowButton
                      label={t`Revoke`}
                      of={name}
                      onPress={(button) => remove(pathOf(one.id), t`Invitation revoked`, button)}
                    />
                  </Listed>
                );
              })}
          </ul>
        )}
      </Asked>
      {link !== "" ? (
        <Secret label={t`Invitation link`} value={link} onDone={() => setLink("")} />
      ) : (
        <form className="line" onSubmit={onSubmit}>
          <div className="field">
            <label htmlFor="note">
              <Trans>Note (optional)</Trans>
            </label>
            <input id="note" name="note" maxLength={200} autoComplete="off" />
          </div>
          <button type="submit" className="btn" aria-disabled={busy}>
            <Trans>Invite</Trans>
          </button>
        </form>
      )}
      {error && <ErrorNote error={error} />}
      {fresh.dialog}
    </Card>
  );
}
