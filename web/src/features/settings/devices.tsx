import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endOtherSessions, endSession, type Session, useSessions } from "@/data/account/sessions";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { showError } from "@/ui/show-error";
import { showToast } from "@/ui/toasts";
import { Asked, Card, DeviceName, Listed, leaveRow, RowButton } from "./parts";

/** The sessions of the person. Ending one cannot be undone. */
export function Devices() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const sessions = useSessions();
  const now = useNow();
  const [revokes, setRevokes] = useState(true);
  const methods: Record<string, string> = {
    password: t`with a password`,
    link: t`with a one-time link`,
    passkey: t`with a passkey`,
    google: "Google",
    oidc: t`with single sign-on`,
  };
  const end = async ({ id }: Session, button: Element) => {
    try {
      leaveRow(button);
      await endSession(client, id);
      showToast(t`Device signed out`);
    } catch (cause) {
      showError(cause);
    }
  };
  const endOthers = async (button: Element) => {
    try {
      const ended = await endOtherSessions(client, revokes);
      button.closest(".card")?.querySelector<HTMLElement>("h2")?.focus();
      showToast(t`${plural(ended, { one: "# device signed out", other: "# devices signed out" })}`);
    } catch (cause) {
      showError(cause);
    }
  };
  return (
    <Card title={t`Signed-in devices`}>
      <Asked query={sessions}>
        {(list) => (
          <>
            <ul>
              {list.map((one) => {
                const name = one.device ?? t`Unknown device`;
                const begun = relativeTime(one.createdAt, now, i18n.locale);
                const seen = relativeTime(one.lastActiveAt, now, i18n.locale);
                return (
                  <Listed
                    key={one.id}
                    name={<DeviceName name={name} isThis={one.isCurrent} />}
                    facts={[
                      t`signed in ${begun}`,
                      methods[one.method] ?? one.method,
                      t`last active ${seen}`,
                      one.network,
                    ]}
                  >
                    {!one.isCurrent && (
                      <RowButton
                        label={t`Sign out`}
                        of={name}
                        onPress={(button) => void end(one, button)}
                      />
                    )}
                  </Listed>
                );
              })}
            </ul>
            {list.length > 1 && (
              <div className="acts">
                <div className="checks">
                  <label>
                    <input
                      type="checkbox"
                      checked={revokes}
                      onChange={(event) => setRevokes(event.target.checked)}
                    />
                    <Trans>Also revoke API tokens and app passwords</Trans>
                  </label>
                </div>
                <button
                  type="button"
                  className="btn"
                  onClick={(event) => void endOthers(event.currentTarget)}
                >
                  <Trans>Sign out all other devices</Trans>
                </button>
              </div>
            )}
          </>
        )}
      </Asked>
    </Card>
  );
}
