import { useLingui } from "@lingui/react/macro";
import { encode } from "uqr";
import "./qr-code.css";

/** Dark on light in both themes: many cameras do not read an inverted code. */
export function QrCode({ text }: { text: string }) {
  const { t } = useLingui();
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  const path = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")),
  );
  return (
    <svg
      className="qr"
      role="img"
      aria-label={t`QR code`}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <path d={path.join("")} />
    </svg>
  );
}
