import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Result } from "@/data/watches";

const names: Record<Result["status"], MessageDescriptor> = {
  onSale: msg`On sale`,
  sold: msg`Sold`,
  gone: msg`No longer listed`,
};
const listed = msg`Listed`;

/** A status in words; what has no price, such as a notice, is listed, not on sale. */
export function statusName(status: Result["status"], hasPrice: boolean): MessageDescriptor {
  return status === "onSale" && !hasPrice ? listed : names[status];
}
