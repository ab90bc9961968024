import { useLingui } from "@lingui/react/macro";
import type { Feed } from "@/data/types";
import { Dialog } from "@/ui/dialog";
import { AddressForm } from "./address-form";
import type { SubscriptionActions } from "./use-subscription-actions";

interface Props {
  feed: Feed;
  actions: SubscriptionActions;
  onClose: () => void;
}

export function AddressDialog({ feed, actions, onClose }: Props) {
  const { t } = useLingui();
  return (
    <Dialog title={t`Change address`} onClose={onClose}>
      <AddressForm feed={feed} actions={actions} onDone={onClose} />
    </Dialog>
  );
}
