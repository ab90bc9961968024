import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { DataTable } from "./data-table";

const rows = [
  { id: "a", price: 7 },
  { id: "b", price: -1 },
];

it("has a heading for each column, a name for each row, and marks what is bad", () => {
  render(
    <DataTable
      label="Prices"
      columns={[
        { title: "Name", isName: true, cell: ({ id }) => id },
        {
          title: "Price",
          className: "num",
          cell: ({ price }) => price,
          attributes: ({ price }) => ({ "data-bad": price < 0 || undefined }),
        },
        false,
      ]}
      rows={rows}
      keyOf={({ id }) => id}
      more={({ id }) => (id === "b" ? { id: "below", content: "About b" } : null)}
    />,
  );
  const region = screen.getByRole("region", { name: "Prices" });
  expect(region.tabIndex).toBe(0);
  const heads = within(region).getAllByRole("columnheader");
  expect(heads.map((one) => one.textContent)).toEqual(["Name", "Price"]);
  expect(screen.getAllByRole("rowheader").map((one) => one.textContent)).toEqual(["a", "b"]);
  expect(screen.getByText("-1").dataset.bad).toBe("true");
  expect(screen.getByText("7").dataset.bad).toBeUndefined();
  expect(screen.getByText("7").className).toBe("num");
  expect(screen.getByText("About b").getAttribute("colspan")).toBe("2");
});

it("is no region of its own without a label", () => {
  render(<DataTable columns={[{ title: "A", cell: () => "1" }]} rows={[1]} keyOf={(row) => row} />);
  expect(screen.queryByRole("region")).toBeNull();
  expect(screen.getByRole("table").className).toBe("data-table");
});
