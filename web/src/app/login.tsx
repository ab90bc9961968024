import { lazy } from "react";
import { signInMethods } from "@/data/sign-in";
import { type LoginProps, LoginScreen } from "@/features/auth/login-screen";

// With the ways to sign in, so that nothing moves later.
const WithWays = lazy(async () => {
  const ways = await signInMethods();
  return { default: (props: LoginProps) => <LoginScreen {...props} ways={ways} /> };
});

export function Login(props: LoginProps) {
  return <WithWays {...props} />;
}
