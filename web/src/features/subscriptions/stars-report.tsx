import { Plural } from "@lingui/react/macro";
import type { StarredReport } from "@/data/starred-file";
import { Note } from "@/ui/note";

/** The result of importing starred items. */
export function StarsReport({ report }: { report: StarredReport }) {
  const { imported, alreadyStarred, notStarred, failed, errors } = report;
  return (
    <div className="report">
      <Note kind={failed > 0 ? "warn" : "ok"} live>
        <strong>
          <Plural
            value={imported}
            one="# starred article imported."
            other="# starred articles imported."
          />
        </strong>{" "}
        {alreadyStarred > 0 && (
          <Plural value={alreadyStarred} one="# already starred. " other="# already starred. " />
        )}
        {notStarred > 0 && (
          <Plural
            value={notStarred}
            one="# not starred in the file. "
            other="# not starred in the file. "
          />
        )}
        {failed > 0 && (
          <Plural value={failed} one="# could not be added." other="# could not be added." />
        )}
      </Note>
      {errors.length > 0 && (
        <ul className="failures">
          {errors.map((one) => (
            <li key={`${one.place} ${one.title}`}>
              <span className="name">{one.title || `#${one.place}`}</span>
              <span className="reason text-err">{one.message}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
