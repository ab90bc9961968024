import { Trans, useLingui } from "@lingui/react/macro";
import { useRemoved } from "@/data/account/removals";
import { type Token, tokenPath, useAppPasswords } from "@/data/account/tokens";
import { useMe } from "@/data/me";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { Asked, Card, Listed, RowButton } from "./parts";
import { useRemove } from "./use-remove";

/** The app passwords, and when which app last synchronised with each. */
export function AppPasswords() {
  const { t } = useLingui();
  const passwords = useAppPasswords();
  const removed = useRemoved();
  return (
    <Card
      title={t`App passwords`}
      hint={t`Removing one signs the app out. The time of the last sync is updated at most once an hour.`}
    >
      <Asked query={passwords}>
        {(all) => {
          const list = all.filter((one) => !removed.has(tokenPath(one.id)));
          return list.length === 0 ? (
            <p className="hint">
              <Trans>No app passwords yet. Connect an app above.</Trans>
            </p>
          ) : (
            <ul>
              {list.map((one) => (
                <Row key={one.id} password={one} />
              ))}
            </ul>
          );
        }}
      </Asked>
    </Card>
  );
}

function Row({ password }: { password: Token }) {
  const { t, i18n } = useLingui();
  const me = useMe();
  const now = useNow();
  const remove = useRemove();
  const lastSync = useLastSync(password);
  const { id, name, email } = password;
  const created = relativeTime(password.createdAt, now, i18n.locale);
  return (
    <Listed
      name={name}
      facts={[lastSync ?? t`never used`, t`created ${created}`]}
      more={
        email !== null &&
        me.data &&
        email !== me.data.user.email && (
          <p className="hint">
            <Trans>Apps that use Fever still sign in with {email} here.</Trans>
          </p>
        )
      }
    >
      <RowButton
        label={t`Remove`}
        of={name}
        onPress={(button) => remove(tokenPath(id), t`App password “${name}” removed`, button)}
      />
    </Listed>
  );
}

/** "last sync: 3 min. ago (NetNewsWire)"; null before the first. */
function useLastSync(password: Token | undefined): string | null {
  const { t, i18n } = useLingui();
  const now = useNow();
  if (!password?.lastUsedAt) return null;
  const ago = relativeTime(password.lastUsedAt, now, i18n.locale);
  const program = password.lastUsedBy;
  return program ? t`last sync: ${ago} (${program})` : t`last sync: ${ago}`;
}
