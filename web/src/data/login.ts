import { api } from "./client";

export async function login(email: string, password: string): Promise<void> {
  await api.post("/api/auth/login", { body: { email, password } });
}
