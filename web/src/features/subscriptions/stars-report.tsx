import { Plural } from "@lingui/react/macro";
import type { StarredReport } from "@/data/starred-file";
import { Note } from "@/ui/note";

/** What came of a file of starred items. */
export function StarsReport({ report }: { report: StarredReport }) {
  const { imported, alreadyStarred, notStarred, failed, errors } = report;
  return (
    <div className="report">
      <Note kind={failed > 0 ? "warn" : "ok"} live>
        <strong>
          <Plural
            value={imported}
            one="# starred item was kept."
            other="# starred items were kept."
          />
        </strong>{" "}
        {alreadyStarred > 0 && (
          <Plural
            value={alreadyStarred}
            one="# was there already. "
            other="# were there already. "
          />
        )}
        {notStarred > 0 && (
          <Plural
            value={notStarred}
            one="# is not starred in the file. "
            other="# are not starred in the file. "
          />
        )}
        {failed > 0 && (
          <Plural value={failed} one="# could not be added." other="# could not be added." />
        )}
      </Note>
      {errors.length > 0 && (
        <ul className="failures">
          {errors.map((one) => (
            <li key={one.place}>
              <span className="name">{one.title || `#${one.place}`}</span>
              <span className="reason text-err">{one.message}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
