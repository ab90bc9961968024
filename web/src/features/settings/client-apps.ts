/** How an app signs in. */
export interface AppAccount {
  /** The address of this installation, without a slash at its end. */
  origin: string;
  email: string;
  /** null: there is none to show. */
  password: string | null;
}

/** An app that synchronises over one of the APIs of docs/use/clients.md. */
export interface ClientApp {
  name: string;
  /** What to choose in the app, as the app calls it. */
  service: string;
  /** Added to the origin; RSS Guard and Readrops add the path of FreshRSS themselves. */
  path: string;
  /** Of a program that is set up with lines of text. */
  config?: (account: AppAccount) => string;
  /** The file in which they belong; without, they are code. */
  file?: string;
}

const placeholder = "ruri-…";

export const greaderPath = "/api/greader.php";
export const feverPath = "/fever/";

const freshRSS = { service: "FreshRSS", path: greaderPath };
const googleReader = { service: "Google Reader API", path: greaderPath };
const fever = { service: "Fever", path: feverPath };

export const appleApps: readonly ClientApp[] = [
  { name: "Fiery Feeds", ...fever },
  { name: "NetNewsWire", ...freshRSS },
  { name: "ReadKit", ...freshRSS },
  { name: "Reeder Classic", ...freshRSS },
  { name: "Unread", ...fever },
];

export const androidApps: readonly ClientApp[] = [
  { name: "Capy Reader", ...freshRSS },
  { name: "FeedMe", ...freshRSS },
  { name: "Read You", ...freshRSS },
  { name: "Readrops", service: "FreshRSS", path: "" },
];

export const desktopApps: readonly ClientApp[] = [
  { name: "Fluent Reader", ...googleReader },
  { name: "Liferea", ...googleReader },
  { name: "NewsFlash", ...freshRSS },
  { name: "RSS Guard", service: "Google Reader API (FreshRSS)", path: "" },
];

export const scriptedApps: readonly ClientApp[] = [
  {
    name: "newsboat",
    ...freshRSS,
    file: "~/.newsboat/config",
    config: ({ origin, email, password }) =>
      [
        'urls-source "freshrss"',
        `freshrss-url "${origin}${greaderPath}"`,
        `freshrss-login "${email}"`,
        `freshrss-password "${password ?? placeholder}"`,
      ].join("\n"),
  },
  {
    name: "miniflux.py",
    service: "Miniflux",
    path: "",
    config: ({ origin, password }) =>
      `import miniflux\n\nclient = miniflux.Client("${origin}", api_key="${password ?? placeholder}")`,
  },
];
