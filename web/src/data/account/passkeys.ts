import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { components } from "../api.gen";
import { ApiError } from "../api-error";
import { api } from "../client";
import { base64, bytes } from "../sign-in";

export type Passkey = components["schemas"]["Passkey"];

const query = queryOptions({
  queryKey: ["passkeys"] as const,
  queryFn: async ({ signal }) => (await api.get("/api/passkeys", { signal })).passkeys,
});

export function usePasskeys() {
  return useQuery(query);
}

export function refreshPasskeys(client: QueryClient): Promise<void> {
  return client.invalidateQueries(query);
}

/** Creates a passkey on the device (WebAuthn 5.1.3) and registers it. Needs a fresh sign-in. */
export async function registerPasskey(name: string): Promise<void> {
  const { publicKey } = await api.post("/api/passkeys/options");
  let credential: Credential | null;
  try {
    credential = await navigator.credentials.create({ publicKey: optionsOf(publicKey) });
  } catch (cause) {
    // Browsers do not distinguish cancelled from timed out, only an authenticator that has a passkey already.
    const isThere = cause instanceof DOMException && cause.name === "InvalidStateError";
    throw new ApiError(400, {
      code: isThere ? "passkey_registered" : "passkey_cancelled",
      category: "auth",
      message: String(cause),
    });
  }
  if (!(credential instanceof PublicKeyCredential)) throw new Error("no credential");
  const answer = credential.response as AuthenticatorAttestationResponse;
  await api.post("/api/passkeys", {
    body: {
      name,
      credential: {
        id: credential.id,
        rawId: base64(credential.rawId),
        type: credential.type,
        response: {
          clientDataJSON: base64(answer.clientDataJSON),
          attestationObject: base64(answer.attestationObject),
          transports: answer.getTransports(),
        },
        clientExtensionResults: credential.getClientExtensionResults(),
      },
    },
  });
}

interface Named {
  id: string;
}

/** As parseCreationOptionsFromJSON does, which Safari knows only since 18. */
function optionsOf(json: { [name: string]: unknown }): PublicKeyCredentialCreationOptions {
  const user = json.user as PublicKeyCredentialUserEntity & Named;
  const known = (json.excludeCredentials ?? []) as (PublicKeyCredentialDescriptor & Named)[];
  return {
    ...(json as unknown as PublicKeyCredentialCreationOptions),
    challenge: bytes(String(json.challenge)),
    user: { ...user, id: bytes(user.id as unknown as string) },
    excludeCredentials: known.map((one) => ({ ...one, id: bytes(one.id as unknown as string) })),
  };
}

export async function renamePasskey(client: QueryClient, id: string, name: string): Promise<void> {
  await api.patch("/api/passkeys/{id}", { path: { id }, body: { name } });
  await refreshPasskeys(client);
}
