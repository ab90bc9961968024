const worker = "/worker.js";

interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy;
}

const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
// Identity on purpose: the server sanitises; the name in the CSP keeps any other code from making HTML.
// The one script that is named by an address is our own worker: a policy with two parts, as the CSP allows one policy.
const policy = factory?.createPolicy("ruri-sanitised", {
  createHTML: (html) => html,
  createScriptURL: () => worker,
});

/** Marks HTML that came sanitised from our own API as fit for the page. */
export function sanitisedHtml(html: string): string {
  return policy ? policy.createHTML(html) : html;
}

/** The address of the service worker, as register() takes it under the CSP. */
export function workerUrl(): string {
  return policy ? policy.createScriptURL(worker) : worker;
}
