import type { components } from "./api.gen";
import { ApiError, toApiError } from "./api-error";
import { api } from "./client";

export type SignInMethods = components["schemas"]["SignInMethods"];

/** The ways to sign in besides a password; null when they cannot be loaded. */
export async function signInMethods(): Promise<SignInMethods | null> {
  try {
    return await api.get("/api/auth/methods");
  } catch {
    return null;
  }
}

export async function login(email: string, password: string): Promise<void> {
  await api.post("/api/auth/login", { body: { email, password } });
}

/** Explains the code with which the server sent a failed sign-in back to the log-in page. */
export async function signInError(code: string): Promise<ApiError> {
  try {
    return new ApiError(400, await api.get("/api/auth/errors/{code}", { path: { code } }));
  } catch (cause) {
    return toApiError(cause);
  }
}

export async function signUp(email: string, password: string): Promise<void> {
  await api.post("/api/auth/signup", { body: { email, password } });
}

export function hasPasskeys(): boolean {
  return typeof window.PublicKeyCredential === "function";
}

/** Signs in with any passkey of this device for this reader (WebAuthn 5.1.4). */
export async function signInWithPasskey(): Promise<void> {
  const { publicKey } = await api.post("/api/auth/passkey/options");
  let credential: Credential | null;
  try {
    credential = await navigator.credentials.get({
      publicKey: {
        challenge: bytes(String(publicKey.challenge)),
        rpId: String(publicKey.rpId),
        timeout: Number(publicKey.timeout),
        userVerification: "required",
      },
    });
  } catch (cause) {
    // Cancelled, timed out, or no passkey: browsers do not distinguish these.
    throw new ApiError(400, {
      code: "passkey_cancelled",
      category: "auth",
      message: String(cause),
    });
  }
  if (!(credential instanceof PublicKeyCredential)) throw toApiError(new Error("no credential"));
  const answer = credential.response as AuthenticatorAssertionResponse;
  await api.post("/api/auth/passkey/verify", {
    body: {
      credential: {
        id: credential.id,
        rawId: base64(credential.rawId),
        type: credential.type,
        response: {
          clientDataJSON: base64(answer.clientDataJSON),
          authenticatorData: base64(answer.authenticatorData),
          signature: base64(answer.signature),
          ...(answer.userHandle ? { userHandle: base64(answer.userHandle) } : {}),
        },
      },
    },
  });
}

/** Decodes base64url without padding, as WebAuthn writes bytes in JSON. */
export function bytes(value: string): Uint8Array<ArrayBuffer> {
  const raw = atob(value.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (char) => char.charCodeAt(0));
}

export function base64(value: ArrayBuffer): string {
  const raw = String.fromCharCode(...new Uint8Array(value));
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
