import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";
import { defaults, forgetSettings, setSettings } from "@/data/settings";
import { activateLocale, followLocale } from "@/i18n/locale";

followLocale();
// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 20_000 });

beforeEach(async () => {
  localStorage.clear();
  forgetSettings();
  await setSettings(defaults); // nobody is signed in: this device's only
  localStorage.clear();
  await activateLocale("en");
});

afterEach(cleanup);

// jsdom knows <dialog> but not its methods, nor the size of anything.
HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false;
  this.dispatchEvent(new Event("close"));
};
Element.prototype.scrollTo ??= () => undefined;
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
globalThis.matchMedia ??= ((query: string) => ({
  matches: false,
  media: query,
  addEventListener() {},
  removeEventListener() {},
})) as unknown as typeof matchMedia;
