// An OpenID Connect provider on a free port of loopback: oidc-provider, which is certified by the OpenID Foundation,
// with its own pages for logging in (any name, any password) and consenting. Clients register themselves at /reg.
// What somebody logs in as is their subject and, before "@", their address; names with "unverified" have an address
// that is not verified.
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const { Provider } = await import(pathToFileURL(process.argv[2]).href);
const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    features: { registration: { enabled: true } },
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    cookies: { keys: ["only for tests"] },
    jwks: undefined,
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: !id.includes("unverified") }),
    }),
  });
  server.on("request", provider.callback());
  console.log(`listening on ${issuer}`);
});
