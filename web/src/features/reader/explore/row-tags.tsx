import { Link } from "@/ui/link";
import { explorePath } from "./explore-path";

/** What an article is about; each tag leads to the articles that have it. */
export function RowTags({ names }: { names: readonly string[] }) {
  return (
    <span className="tags" dir="auto">
      {names.map((name) => (
        <Link key={name} href={explorePath({ tab: "new", tag: name })} tabIndex={-1}>
          #{name}
        </Link>
      ))}
    </span>
  );
}
