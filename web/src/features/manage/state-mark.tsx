import { useLingui } from "@lingui/react/macro";
import { BellOff, CircleCheck, Clock, TriangleAlert } from "lucide-react";
import type { Feed } from "@/data/types";

/** The name of the state of a feed. */
export function useStateName(): (feed: Feed) => string {
  const { t } = useLingui();
  return (feed) => {
    const names = {
      stopped: t`Stopped`,
      error: t`Error`,
      waiting: t`Waiting`,
      active: t`OK`,
    };
    return feed.isMuted && feed.status === "active" ? t`Muted` : names[feed.status];
  };
}

export function StateMark({ feed }: { feed: Feed }) {
  const name = useStateName()(feed);
  const level = { stopped: "err", error: "warn", waiting: "calm", active: "calm" }[feed.status];
  const Icon =
    feed.status === "active"
      ? feed.isMuted
        ? BellOff
        : CircleCheck
      : feed.status === "waiting"
        ? Clock
        : TriangleAlert;
  return (
    <span className="state-mark" data-level={level}>
      <Icon aria-hidden="true" />
      {name}
    </span>
  );
}
