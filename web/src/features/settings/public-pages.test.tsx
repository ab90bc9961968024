import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Site } from "@/data/account/people";
import { activateLocale, loadPart } from "@/i18n/locale";
import { settingsCatalog } from "@/i18n/settings-catalog";
import { aBeginning } from "@/testing/fixtures";
import { renderApp } from "@/testing/render";
import { mockServer } from "@/testing/server";
import { PublicPages } from "./public-pages";

type Published = NonNullable<Site["publicPages"]>;

const counted = {
  isOn: true,
  lastAt: null,
  requests: null,
  failures: null,
  error: null,
  pausedUntil: null,
};
const folders = [
  { id: "1", parentId: null, name: "Tech", position: 0 },
  { id: "2", parentId: "1", name: "Web", position: 0 },
];

/** A server that answers a change with all settings. */
function serve(publicPages: Published | null, { isOn = true, tree = folders } = {}) {
  const site = {
    signUp: "closed",
    bookmarkCounts: { ...counted, isOn },
    publicPages,
  };
  return mockServer({
    "GET /api/me": { body: { ...aBeginning(), tree: { folders: tree, labels: [] } } },
    "GET /api/folders": { body: { folders: tree } },
    "GET /api/labels": { body: { labels: [] } },
    "GET /api/site": { body: site },
    "PUT /api/site": ({ body }: { body?: unknown }) => ({
      body: { ...site, ...(body as Partial<Site>) },
    }),
  });
}

function sent({ calls }: ReturnType<typeof mockServer>) {
  return calls.filter(({ route }) => route === "PUT /api/site").map(({ body }) => body);
}

it("says what becomes visible, and publishes the folders that are chosen", async () => {
  const server = serve({ isOn: false, folders: [], threshold: 3 });
  renderApp(<PublicPages />);
  const toggle = await screen.findByRole("switch", { name: /^Publish popular articles/ });
  expect(screen.getByText(/Anyone who has the address can then see/)).toBeTruthy();
  expect(screen.queryByRole("checkbox")).toBeNull();
  await userEvent.click(toggle);
  await screen.findByText("Choose a folder. Until then there is no public page.");
  await userEvent.click(await screen.findByRole("checkbox", { name: "Tech / Web" }));
  const address = await screen.findByLabelText<HTMLInputElement>("Address to share");
  expect(address.value).toBe(`${location.origin}/popular`);
  await userEvent.click(screen.getByRole("radio", { name: "10" }));
  expect(sent(server)).toEqual([
    { publicPages: { isOn: true, folders: [], threshold: 3 } },
    { publicPages: { isOn: true, folders: ["2"], threshold: 3 } },
    { publicPages: { isOn: true, folders: ["2"], threshold: 10 } },
  ]);
});

it("sends no folder back that was deleted", async () => {
  const server = serve({ isOn: true, folders: ["7", "1"], threshold: 1 });
  renderApp(<PublicPages />);
  const folder = await screen.findByRole("checkbox", { name: "Tech / Web" });
  await userEvent.click(folder);
  await userEvent.click(screen.getByRole("checkbox", { name: "Tech" }));
  expect(sent(server)).toEqual([
    { publicPages: { isOn: true, folders: ["1", "2"], threshold: 1 } },
    { publicPages: { isOn: true, folders: ["2"], threshold: 1 } },
  ]);
});

it("says why there is nothing to see, in Japanese", async () => {
  await activateLocale("ja");
  await loadPart(settingsCatalog);
  serve({ isOn: true, folders: [], threshold: 1 }, { isOn: false, tree: [] });
  renderApp(<PublicPages />);
  const card = within(await screen.findByRole("region", { name: "公開ページ" }));
  await card.findByText(/^フォルダーがまだありません。/);
  expect(card.getByText(/^ブックマーク数の表示がオフのため/)).toBeTruthy();
});

it("shows nothing to choose to somebody else", async () => {
  serve(null);
  renderApp(<PublicPages />);
  await screen.findByRole("heading", { name: "Public page" });
  expect(screen.queryByRole("switch")).toBeNull();
});
