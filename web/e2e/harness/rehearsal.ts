import type { Backend } from "./binary.ts";

/** The remote control of `make rehearse` (internal/testkit/rehearse/control.go); run.ts starts it and sets this. */
const control = process.env.RURI_REHEARSAL ?? "";

async function ask<T>(path: string, order: object = {}): Promise<T> {
  const response = await fetch(control + path, { method: "POST", body: JSON.stringify(order) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

interface Deployed {
  id: string;
  base: string;
}

/** What the tests do in a second no person does in a minute: the stage's limit is not what they look at. */
const limits = { ApiRequestsPerSecond: "1000", ApiBurst: "5000" };

/** The template deployed onto emulated AWS, a stack of its own for each test file. */
export async function startRehearsed({ samples }: { samples: boolean }): Promise<Backend> {
  const { id, base } = await ask<Deployed>("/stacks", { samples, parameters: limits });
  return {
    base,
    async ownerLink() {
      return (await ask<{ link: string }>(`/stacks/${id}/link`)).link;
    },
    server: null,
    async addUser(email, password) {
      await ask(`/stacks/${id}/users`, { email, password });
    },
    async linkFor(email) {
      return (await ask<{ link: string }>(`/stacks/${id}/link`, { email })).link;
    },
    async restart() {
      await ask(`/stacks/${id}/recycle`);
    },
    async close() {
      const { denied } = await ask<{ denied: string[] | null }>(`/stacks/${id}/close`);
      if (denied && denied.length > 0)
        throw new Error(`roles did not allow:\n${denied.join("\n")}`);
    },
  };
}
