import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endOtherSessions, endSession, type Session, useSessions } from "@/data/account/sessions";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { showToast } from "@/ui/toasts";
import { Asked, Card, leaveRow } from "./parts";
import { useRefusal } from "./use-save";

/** Where one is signed in. Ending is at once and for good: one signs in again, which is how it is undone. */
export function Devices() {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const sessions = useSessions();
  const refuse = useRefusal();
  const now = useNow();
  const [revokes, setRevokes] = useState(true);
  const methods: Record<string, string> = {
    password: t`by password`,
    link: t`by a one-time link`,
    passkey: t`by passkey`,
    google: "Google",
    oidc: t`by single sign-on`,
  };
  const end = async ({ id }: Session, button: Element) => {
    try {
      leaveRow(button);
      await endSession(client, id);
      showToast(t`That device is signed out.`);
    } catch (cause) {
      refuse(cause);
    }
  };
  const endOthers = async (button: Element) => {
    try {
      const ended = await endOtherSessions(client, revokes);
      button.closest(".card")?.querySelector<HTMLElement>("h2")?.focus();
      showToast(
        t`${plural(ended, { one: "# device is signed out.", other: "# devices are signed out." })}`,
      );
    } catch (cause) {
      refuse(cause);
    }
  };
  return (
    <Card title={t`Signed-in devices`}>
      <Asked query={sessions}>
        {(list) => (
          <>
            <ul>
              {list.map((one) => {
                const name = one.device ?? t`An unknown device`;
                const begun = relativeTime(one.createdAt, now, i18n.locale);
                const seen = relativeTime(one.lastActiveAt, now, i18n.locale);
                return (
                  <li key={one.id} className="setting">
                    <div className="text">
                      <span className="name">
                        {name}{" "}
                        {one.isCurrent && (
                          <em>
                            <Trans>this one</Trans>
                          </em>
                        )}
                      </span>
                      <p className="hint">
                        {[
                          t`begun ${begun}`,
                          methods[one.method] ?? one.method,
                          t`last seen ${seen}`,
                          one.network,
                        ]
                          .filter(Boolean)
                          .join(" · ")}
                      </p>
                    </div>
                    {!one.isCurrent && (
                      <button
                        type="button"
                        className="btn"
                        aria-label={`${t`Sign out`}: ${name}`}
                        onClick={(event) => void end(one, event.currentTarget)}
                      >
                        <Trans>Sign out</Trans>
                      </button>
                    )}
                  </li>
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
                    <Trans>Revoke the tokens of programs too</Trans>
                  </label>
                </div>
                <button
                  type="button"
                  className="btn"
                  onClick={(event) => void endOthers(event.currentTarget)}
                >
                  <Trans>Sign out everywhere else</Trans>
                </button>
              </div>
            )}
          </>
        )}
      </Asked>
    </Card>
  );
}
