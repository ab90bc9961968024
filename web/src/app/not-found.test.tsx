import { screen } from "@testing-library/react";
import { it } from "vitest";
import { openApp } from "@/testing/app";

it("keeps the side bar at an address where nothing is", async () => {
  openApp("/nowhere/at/all", {});
  await screen.findByRole("heading", { name: "Page not found" });
  await screen.findAllByRole("link", { name: "Unread" });
  screen.getByRole("link", { name: "Go to Today" });
});
