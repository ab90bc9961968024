import { Plural, Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Tags } from "lucide-react";
import { api } from "@/data/client";
import type { Explore } from "@/data/routes";
import { runCommand } from "@/keys/use-command";
import { ErrorNote } from "@/ui/error-note";
import { Link } from "@/ui/link";
import { explorePath } from "./explore-path";
import { tagsKey } from "./tags-key";
import { YahooCredit } from "./yahoo-credit";
import "./tag-list.css";

/** What the articles of a period are about, the most frequent first. */
export function TagList({ period }: { period: Explore["period"] }) {
  const { data, error } = useQuery({
    queryKey: [...tagsKey, period],
    queryFn: ({ signal }) => api.get("/api/tags", { query: { period }, signal }),
    staleTime: 5 * 60_000,
  });
  if (error && !data) return <ErrorNote error={error} />;
  if (!data) return <div aria-busy="true" />;
  if (data.tags.length === 0) {
    return (
      <div className="state">
        <Tags />
        <p className="title">
          <Trans>No tags yet</Trans>
        </p>
        <p>
          <Trans>A tag is listed when three articles of your feeds have it.</Trans>
        </p>
        <button type="button" className="btn" onClick={() => runCommand("feed.add")}>
          <Trans>Add a feed</Trans>
        </button>
      </div>
    );
  }
  return (
    <>
      <ul className="tag-list">
        {data.tags.map(({ name, entries, score }) => (
          <li key={name} style={{ ["--score" as string]: score }}>
            <Link href={explorePath({ tab: "new", tag: name })}>{name}</Link>{" "}
            <span>
              <Plural value={entries} one="# article" other="# articles" />
            </span>
          </li>
        ))}
      </ul>
      {data.namesYahoo && <YahooCredit />}
    </>
  );
}
