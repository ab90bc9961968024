import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { itemQuery } from "@/data/item";
import { stop } from "@/data/stopped";
import { treeQuery } from "@/data/tree";
import { anItem } from "@/testing/fixtures";
import { renderApp, testClient } from "@/testing/render";
import type { Actions } from "./actions";
import { ItemBar } from "./item-bar";

const item = anItem({ id: "11" });

it("keeps an article for later, marks it in words, and shows how far one is beside the next one", async () => {
  const client = testClient();
  const later = { id: "3", name: "Read later", isReadLater: true };
  client.setQueryData(treeQuery.queryKey, { folders: [], labels: [later] } as never);
  client.setQueryData(itemQuery("11").queryKey, { ...item, labels: ["3"] } as never);
  stop("11", { part: 0.4 });
  const toggleLater = vi.fn();
  renderApp(
    <ItemBar item={item} hasNext actions={{ toggleLater } as unknown as Actions} />,
    client,
  );
  const buttons = screen.getAllByRole("button");
  expect(buttons.map((one) => one.textContent)).toEqual([
    "Back",
    "Star",
    "Later",
    "Mark read",
    "Next",
  ]);
  const button = screen.getByRole("button", { name: "Later", pressed: true });
  await userEvent.click(button);
  expect(toggleLater).toHaveBeenCalledWith(item);
  const ring = buttons[4]?.querySelector(".part-ring .arc");
  expect(ring?.getAttribute("stroke-dasharray")).toBe("40 100");
});
