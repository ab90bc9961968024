/** What the server pushes (internal/webhook/push/deliver.go). */
interface Pushed {
  title: string;
  body: string;
  path: string;
  tag: string;
  lang: string;
}

const fallback = {
  en: { title: "Ruri Reader", body: "New articles" },
  ja: { title: "Ruri Reader", body: "新着記事があります" },
};

/** A message as a notification. Every message is shown, since browsers revoke the permission of a site that shows none. */
export function notificationOf(text: string, language: string): Pushed {
  const plain = { ...fallback[language.startsWith("ja") ? "ja" : "en"], path: "/", tag: "new" };
  try {
    const { title, body, path, tag, lang } = JSON.parse(text);
    if (typeof title === "string" && typeof body === "string" && isOwn(path)) {
      return { title, body, path, tag: String(tag), lang: String(lang) };
    }
  } catch {
    // empty, or from a newer server
  }
  return { ...plain, lang: language };
}

/** A path of the page: "//host" and "/\host" lead elsewhere. */
function isOwn(path: unknown): path is string {
  return typeof path === "string" && /^\/(?![/\\])/.test(path);
}

interface Windows {
  matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<readonly Opened[]>;
  openWindow(url: string): Promise<unknown>;
}
interface Opened {
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}

/** Opens what a notification is about: in a window of the page that is open, else in a new one. */
export async function open(windows: Windows, path: string): Promise<void> {
  const [window] = await windows.matchAll({ type: "window", includeUncontrolled: false });
  if (!window) {
    await windows.openWindow(path);
    return;
  }
  await window.focus().catch(() => undefined);
  await window.navigate(path);
}
