import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Candidate, PreviewRow } from "@/data/watches";
import type { FieldName } from "./fields";

export const fieldTitles: Record<FieldName, MessageDescriptor> = {
  title: msg`Title`,
  price: msg({ context: "of a thing", message: "Price" }),
  date: msg`Date`,
  status: msg`Status`,
  image: msg`Image`,
  seller: msg`Seller`,
  link: msg`Link`,
};

export const sourceNames: Record<Candidate["source"], MessageDescriptor> = {
  adapter: msg`Known site`,
  "json-ld": msg`Structured data (JSON-LD)`,
  microdata: msg`Structured data (microdata)`,
  json: msg`Data of the page (JSON)`,
  rows: msg`Detected list`,
  layout: msg`Own selectors`,
};

export const rowWarnings: Record<PreviewRow["warnings"][number], MessageDescriptor> = {
  no_title: msg`no title`,
  no_link: msg`no link`,
  no_price: msg`no price`,
};
