import { Trans } from "@lingui/react/macro";
import { KeyRound, LogIn } from "lucide-react";
import { outward } from "@/data/base";
import { hasPasskeys, type SignInMethods } from "@/data/sign-in";
import { go } from "@/data/use-route";

interface Props {
  ways: SignInMethods | null;
  next: string;
  isNew: boolean;
  onPasskey: () => void;
}

/** What this reader offers besides the password. */
export function OtherWays({ ways, next, isNew, onPasskey }: Props) {
  const withPasskey = !isNew && ways?.passkey === true && hasPasskeys();
  const mayJoin = !isNew && (ways?.signUp === "open" || ways?.isInvited === true);
  if (!ways || (!withPasskey && !mayJoin && ways.providers.length === 0)) return null;
  return (
    <div className="mt-4 flex flex-col gap-3">
      {withPasskey && (
        <button type="button" className="btn min-h-11" onClick={onPasskey}>
          <KeyRound size={18} />
          <Trans>Sign in with a passkey</Trans>
        </button>
      )}
      {ways.providers.map(({ id, name, url }) => (
        // Leads to the provider and back: not a request of the page.
        <a
          key={id}
          className="btn min-h-11"
          href={outward(`${url}?next=${encodeURIComponent(next)}`)}
        >
          <LogIn size={18} />
          {isNew ? <Trans>Sign up with {name}</Trans> : <Trans>Sign in with {name}</Trans>}
        </a>
      ))}
      {mayJoin && (
        <a
          className="self-center text-link underline"
          href={outward("/signup")}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey) return;
            event.preventDefault();
            go("/signup");
          }}
        >
          <Trans>Create an account</Trans>
        </a>
      )}
    </div>
  );
}
