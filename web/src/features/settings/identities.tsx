import { Trans, useLingui } from "@lingui/react/macro";
import { Link2 } from "lucide-react";
import { useIdentities, useSignInMethods } from "@/data/account/identities";
import { useRemoved } from "@/data/account/removals";
import { outward } from "@/data/base";
import { relativeTime } from "@/i18n/format";
import { useNow } from "@/i18n/use-now";
import { showError } from "@/ui/show-error";
import { useFreshSignIn } from "./fresh-sign-in";
import { Asked, Card, Listed, RowButton } from "./parts";
import { useRemove } from "./use-remove";

const pathOf = (id: string) => `/api/identities/${encodeURIComponent(id)}`;

/** Linked sign-ins at providers; nothing where there are no providers. */
export function Identities() {
  const { t, i18n } = useLingui();
  const identities = useIdentities();
  const ways = useSignInMethods();
  const removed = useRemoved();
  const now = useNow();
  const fresh = useFreshSignIn();
  const remove = useRemove();
  const providers = ways.data?.providers ?? [];
  const list = identities.data?.filter((one) => !removed.has(pathOf(one.id))) ?? [];
  if (providers.length === 0 && list.length === 0 && !identities.isError) return null;

  const nameOf = (id: string) => providers.find((one) => one.id === id)?.name ?? id;
  const link = async (url: string) => {
    try {
      if (!(await fresh.ensure())) return;
      location.assign(outward(`${url}?link=1&next=${encodeURIComponent("/settings/account")}`));
    } catch (cause) {
      showError(cause);
    }
  };
  return (
    <Card title={t`Linked accounts`}>
      <Asked query={identities}>
        {() => (
          <ul>
            {list.map((one) => {
              const name = nameOf(one.provider);
              const made = relativeTime(one.createdAt, now, i18n.locale);
              return (
                <Listed key={one.id} name={name} facts={[one.email, t`linked ${made}`]}>
                  <RowButton
                    label={t`Unlink`}
                    of={name}
                    onPress={async (button) => {
                      try {
                        if (await fresh.ensure())
                          remove(pathOf(one.id), t`${name} unlinked`, button);
                      } catch (cause) {
                        showError(cause);
                      }
                    }}
                  />
                </Listed>
              );
            })}
          </ul>
        )}
      </Asked>
      {providers.length > 0 && (
        <div className="acts">
          {providers.map(({ id, name, url }) => (
            <button key={id} type="button" className="btn" onClick={() => void link(url)}>
              <Link2 size={16} />
              <Trans>Link {name}</Trans>
            </button>
          ))}
        </div>
      )}
      {fresh.dialog}
    </Card>
  );
}
