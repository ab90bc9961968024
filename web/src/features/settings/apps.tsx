import { Trans, useLingui } from "@lingui/react/macro";
import { ExternalLink } from "lucide-react";
import { outward } from "@/data/base";
import { AppPasswords } from "./app-passwords";
import { NewApp } from "./new-app";
import { Card } from "./parts";
import "./apps.css";

/** Other reader apps, and the passwords with which they sign in (docs/use/clients.md). */
export function Apps() {
  const { t } = useLingui();
  return (
    <>
      <NewApp />
      <AppPasswords />
      <Card
        title={t`If an app cannot connect`}
        hint={t`Check whether apps can reach this server. Open the page in a browser on the same device as the app.`}
      >
        <div className="acts">
          <a
            className="btn"
            href={outward("/check/compatibility")}
            target="_blank"
            rel="noopener noreferrer"
          >
            <ExternalLink size={16} />
            <Trans>Check the connection</Trans>
          </a>
        </div>
      </Card>
    </>
  );
}
