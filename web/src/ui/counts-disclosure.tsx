import { Trans } from "@lingui/react/macro";

/** What bookmark counts disclose, and to whom. */
export function CountsDisclosure() {
  return (
    <Trans>
      For this, the links of articles from all feeds of this server are sent to Hatena Co., Ltd. in
      Japan, without cookies and without anything about the people who read here. Links with
      passwords or keys, and links in private networks, are never sent.
    </Trans>
  );
}
