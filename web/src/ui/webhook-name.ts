import type { Webhook } from "@/data/account/webhooks";

/** Services in whose format webhooks write, by the name of the format. */
export const services: Readonly<Partial<Record<Webhook["format"], string>>> = {
  ntfy: "ntfy",
  gotify: "Gotify",
  telegram: "Telegram",
  slack: "Slack",
  discord: "Discord",
  readwise: "Readwise",
  linkding: "linkding",
  raindrop: "Raindrop.io",
  instapaper: "Instapaper",
  wallabag: "wallabag",
};

/** "Slack (hooks.slack.com)", or the host alone. */
export function hookName({ url, format }: Pick<Webhook, "url" | "format">): string {
  const host = URL.canParse(url) ? new URL(url).host : url;
  const service = services[format];
  return service ? `${service} (${host})` : host;
}
