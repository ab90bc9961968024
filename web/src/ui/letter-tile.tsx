/** A placeholder for the icon of a feed: its first letter on one of four colours. */
export function LetterTile({ name }: { name: string }) {
  const letter = [...name.trim()][0]?.toUpperCase() ?? "?";
  return (
    <span className="tile" data-hue={hue(name)} aria-hidden="true">
      {letter}
    </span>
  );
}

function hue(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % 4;
}
