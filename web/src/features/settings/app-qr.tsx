import { Trans, useLingui } from "@lingui/react/macro";
import { Suspense, useState } from "react";
import { lazyNamed } from "@/ui/lazy-named";
import { Switch } from "./controls";

const QrCode = lazyNamed("QrCode", () => import("@/ui/qr-code"));

interface Props {
  address: string;
  email: string;
  /** null: there is none to show. */
  password: string | null;
}

/** For phones: the address alone, and the password only if the person asks for it. */
export function AppQr({ address, email, password }: Props) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const [hasAll, setAll] = useState(false);
  const text = password !== null && hasAll ? [address, email, password].join("\n") : address;
  return (
    <details className="unfold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="btn">
        <Trans>QR code for a phone</Trans>
      </summary>
      {isOpen && (
        <>
          <Suspense fallback={<div className="qr" />}>
            <QrCode text={text} />
          </Suspense>
          <p className="hint">
            <Trans>Scan it with the camera and copy the text into the app.</Trans>
          </p>
          {password !== null && (
            <Switch
              label={t`Include user name and password`}
              hint={t`Anyone who photographs the code can read your articles.`}
              value={hasAll}
              onChange={setAll}
            />
          )}
        </>
      )}
    </details>
  );
}
