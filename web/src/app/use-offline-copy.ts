import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, keepAnswers } from "@/data/client";
import { useOffline } from "@/data/connection";
import { feedsKey } from "@/data/feeds";
import { followAmount, offlineAmount, useOfflineAmount } from "@/data/offline/amount";
import { fill } from "@/data/offline/fill";
import {
  enableOfflineCopy,
  keepAnswer,
  keepMarks,
  onOwnerConfirmed,
  publishSavedItems,
} from "@/data/offline/keeper";
import { streamsKey } from "@/data/stream";

const minute = 60_000;

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

/** Keeps the offline copy up to date, and the page when the connection comes back. */
export function useOfflineCopy(): void {
  const client = useQueryClient();
  const isOffline = useOffline();
  const amount = useOfflineAmount();

  useEffect(() => {
    void enableOfflineCopy(offlineAmount() > 0);
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
    void enableOfflineCopy(number > 0).then((needsOwner) => {
      // The keeper receives the answer, as every answer.
      if (needsOwner) api.get("/api/me").catch(() => undefined);
    });
    if (number === 0 || isOffline || savesData()) return;
    const stopped = new AbortController();
    const start = () => {
      // Checks each minute whether it is time; a failed attempt is repeated later.
      if (!document.hidden) fill(number, stopped.signal).catch(() => undefined);
    };
    const unsubscribe = onOwnerConfirmed(start);
    const timer = setInterval(start, minute);
    return () => {
      stopped.abort();
      unsubscribe();
      clearInterval(timer);
    };
  }, [amount, isOffline]);

  useEffect(() => {
    if (isOffline) void publishSavedItems();
  }, [isOffline]);

  // Online again: reloads failed queries; lists from this device are reloaded when they are opened.
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

  // The browser is online, but the server cannot be reached: it is tried again.
  useEffect(() => {
    if (!isOffline) return;
    let wait = 15_000;
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      if (navigator.onLine && !document.hidden) void pingServer();
      wait = Math.min(wait * 2, 5 * 60_000);
      timer = setTimeout(look, wait);
    };
    timer = setTimeout(look, wait);
    return () => clearTimeout(timer);
  }, [isOffline]);
}

/** Any answer notes that the server is reached (data/connection.ts). */
export async function pingServer(): Promise<void> {
  await api.get("/healthz").catch(() => undefined);
}
