import { outward } from "@/data/base";

const worker = outward("/worker.js");

interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy;
}

const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
// Identity: the server sanitises; the CSP allows only this policy, so that no other code creates HTML. It also covers the
// only script URL, our worker.
const policy = factory?.createPolicy("ruri-sanitised", {
  createHTML: (html) => html,
  createScriptURL: () => worker,
});

/** Marks HTML from our API, which has sanitised it, as trusted. */
export function sanitisedHtml(html: string): string {
  return policy ? policy.createHTML(html) : html;
}

/** The address of the service worker, as register() needs it under the CSP. */
export function workerUrl(): string {
  return policy ? policy.createScriptURL(worker) : worker;
}
