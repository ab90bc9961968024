/** Whether only this computer understands the name of the host (RFC 6761, 6.3). */
export function isThisComputer(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}
