import { Trans } from "@lingui/react/macro";
import { Suspense } from "react";
import { lazyNamed } from "@/ui/lazy-named";
import { isThisComputer } from "./phone-address";

const QrCode = lazyNamed("QrCode", () => import("@/ui/qr-code"));

/** This page's address as a code to scan, where a phone can reach it, and what it needs for that. */
export function PhoneStep({ address }: { address: string }) {
  const { hostname, protocol } = new URL(address);
  if (isThisComputer(hostname))
    return (
      <p>
        <Trans>
          {hostname} only works on this computer. Open Ruri at an address that your phone can reach,
          best with https, and the code is shown here.
        </Trans>
      </p>
    );
  return (
    <>
      <Suspense fallback={<div className="qr" />}>
        <QrCode text={address} />
      </Suspense>
      <p>
        <Trans>Scan it with the phone's camera and sign in there. {address}</Trans>
      </p>
      {protocol !== "https:" && (
        <p>
          <Trans>
            Without https, anyone on the way can read along, and phones neither install the app nor
            keep articles for reading offline.
          </Trans>
        </p>
      )}
    </>
  );
}
