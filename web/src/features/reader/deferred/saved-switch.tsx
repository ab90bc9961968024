import { useLingui } from "@lingui/react/macro";
import { Clock, Star } from "lucide-react";
import { type ReaderRoute, readerPath } from "@/data/routes";
import { readLaterOf, useKnownTree } from "@/data/tree";
import { navigate } from "@/data/use-route";
import { phone, useMedia } from "@/ui/use-media";

/** On phones one tab is for all that was saved: what to read later, and the stars. */
export function SavedSwitch({ route: { stream } }: { route: ReaderRoute }) {
  const { t } = useLingui();
  const isPhone = useMedia(phone);
  const later = readLaterOf(useKnownTree().labels);
  const isLater = stream.kind === "label" && stream.id === later?.id;
  if (!isPhone || !later || !(isLater || stream.kind === "starred")) return null;
  const choices = [
    { name: t`Read later`, icon: <Clock size={18} />, isHere: isLater, id: later.id },
    { name: t`Starred`, icon: <Star size={18} />, isHere: !isLater, id: null },
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of toggles, not of form fields
    <div className="segments" role="group" aria-label={t`Saved`}>
      {choices.map(({ name, icon, isHere, id }) => (
        <button
          key={name}
          type="button"
          aria-label={name}
          title={name}
          aria-pressed={isHere}
          onClick={() =>
            navigate(readerPath(id === null ? { kind: "starred" } : { kind: "label", id }), {
              replace: true,
            })
          }
        >
          {icon}
        </button>
      ))}
    </div>
  );
}
