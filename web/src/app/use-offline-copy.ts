import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, keepAnswers } from "@/data/client";
import { useOffline } from "@/data/connection";
import { feedsKey } from "@/data/feeds";
import { followAmount, offlineAmount, useOfflineAmount } from "@/data/offline/amount";
import { fill } from "@/data/offline/fill";
import { keepAnswer, keepMarks, listenForOwner, tellSaved, want } from "@/data/offline/keeper";
import { streamsKey } from "@/data/stream";

const halfAnHour = 30 * 60_000;

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

/** Keeps on this device what is to be read without a network, and goes on when there is one again. */
export function useOfflineCopy(): void {
  const client = useQueryClient();
  const isOffline = useOffline();
  const amount = useOfflineAmount();

  useEffect(() => {
    void want(offlineAmount() > 0);
    keepAnswers(keepAnswer);
    const unfollow = followAmount();
    const onHidden = () => document.hidden && void keepMarks();
    document.addEventListener("visibilitychange", onHidden);
    return () => {
      unfollow();
      document.removeEventListener("visibilitychange", onHidden);
    };
  }, []);

  useEffect(() => {
    const number = Number(amount);
    void want(number > 0).then((isAnew) => {
      // The answer goes to the keeper, as every answer does.
      if (isAnew) api.get("/api/me").catch(() => undefined);
    });
    if (number === 0 || isOffline || savesData()) return;
    const stopped = new AbortController();
    const start = () => {
      // What does not succeed is taken up the next time.
      if (!document.hidden) fill(number, stopped.signal).catch(() => undefined);
    };
    const forgetListener = listenForOwner(start);
    const timer = setInterval(start, halfAnHour);
    return () => {
      stopped.abort();
      forgetListener();
      clearInterval(timer);
    };
  }, [amount, isOffline]);

  useEffect(() => {
    if (isOffline) void tellSaved();
  }, [isOffline]);

  // Back again: what failed is asked for once more, and what came from this device is looked at when it is opened.
  useEffect(() => {
    if (!isOffline) return;
    return () => {
      void client.invalidateQueries({ queryKey: feedsKey });
      void client.invalidateQueries({ queryKey: streamsKey, refetchType: "none" });
      void client.refetchQueries({
        type: "active",
        predicate: ({ state }) => state.status === "error" && state.data === undefined,
      });
    };
  }, [client, isOffline]);

  // The browser has a network, and yet the reader cannot be reached: it is looked for again and again.
  useEffect(() => {
    if (!isOffline) return;
    let wait = 15_000;
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      if (navigator.onLine && !document.hidden) void lookForServer();
      wait = Math.min(wait * 2, 5 * 60_000);
      timer = setTimeout(look, wait);
    };
    timer = setTimeout(look, wait);
    return () => clearTimeout(timer);
  }, [isOffline]);
}

/** The answer itself tells that it is there (data/connection.ts). */
export async function lookForServer(): Promise<void> {
  await api.get("/healthz").catch(() => undefined);
}
