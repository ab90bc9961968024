import { useLingui } from "@lingui/react/macro";
import type { Feed } from "@/data/types";
import { Dialog } from "@/ui/dialog";
import { AddressForm } from "./address-form";
import type { Deeds } from "./use-deeds";

interface Props {
  feed: Feed;
  deeds: Deeds;
  onClose: () => void;
}

export function AddressDialog({ feed, deeds, onClose }: Props) {
  const { t } = useLingui();
  return (
    <Dialog title={t`Change the address`} onClose={onClose}>
      <AddressForm feed={feed} deeds={deeds} onDone={onClose} />
    </Dialog>
  );
}
