import type { Candidate, Layout, Place, PreviewRow } from "@/data/watches";

/** The fields that a person can assign a part of a row to, in the order of the table. */
export const fieldNames = ["title", "price", "date", "status", "image", "seller", "link"] as const;
export type FieldName = (typeof fieldNames)[number];

/** A part of the rows: where it is, what it says in the first rows, and which fields are read from it. */
export interface Part {
  key: string;
  place: Place;
  samples: readonly string[];
  fields: readonly FieldName[];
}

/** Identifies a place, however it is written: a string is its selector alone. */
export function placeKey(place: Place): string {
  const { at, attr, match } = typeof place === "string" ? { at: place } : place;
  return JSON.stringify([at ?? "", attr ?? "", match ?? ""]);
}

/**
 * The parts of the rows that are known: what the fields are read from now, what the server proposes, and what was known
 * before, so that an assignment can be taken back.
 */
export function partsOf(candidate: Candidate, before: readonly Part[] = []): Part[] {
  const parts = new Map<string, { place: Place; samples: readonly string[] }>();
  const note = (place: Place, samples: readonly string[]) => {
    const key = placeKey(place);
    const isSaid = samples.some((text) => text !== "");
    if (isSaid && !parts.has(key)) parts.set(key, { place, samples });
  };
  const { fields = {} } = candidate.layout;
  const choices = fieldNames.flatMap((name) => candidate.choices[name] ?? []);
  for (const one of choices) note(one.field, one.samples);
  for (const one of before) note(one.place, one.samples);
  for (const name of fieldNames) {
    const place = fields[name];
    if (place)
      note(
        place,
        candidate.rows.map((row) => textOf(row, name)),
      );
  }
  const known = [...parts].map(([key, { place, samples }]) => ({
    key,
    place,
    samples,
    fields: fieldNames.filter((name) => {
      const used = fields[name];
      return used !== undefined && placeKey(used) === key;
    }),
  }));
  // What is used comes first, in the order of the fields.
  const rank = ({ fields: [first] }: Part) =>
    first === undefined ? fieldNames.length : fieldNames.indexOf(first);
  return known.sort((a, b) => rank(a) - rank(b));
}

/** The layout with a field read from a place; null: from nowhere. */
export function assign(layout: Layout, name: FieldName, place: Place | null): Layout {
  const { [name]: _, ...rest } = layout.fields ?? {};
  return { ...layout, fields: place === null ? rest : { ...rest, [name]: place } };
}

/** What a row says in a field. */
function textOf(row: PreviewRow, name: FieldName): string {
  switch (name) {
    case "title":
      return row.name;
    case "price":
      return row.priceText;
    case "date":
      return row.date?.slice(0, 10) ?? "";
    case "status":
      return row.status ?? "";
    case "image":
      return row.imageUrl ?? "";
    case "seller":
      return row.seller;
    case "link":
      return row.url;
  }
}
