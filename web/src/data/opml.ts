export interface OpmlFeed {
  title: string;
  url: string;
  /** Names of the folders around it, from the outside in. */
  path?: readonly string[];
}

interface Group {
  feeds: OpmlFeed[];
  groups: Map<string, Group>;
}

const emptyGroup = (): Group => ({ feeds: [], groups: new Map() });

/** A list of feeds as OPML 2.0. */
export function writeOpml(title: string, feeds: readonly OpmlFeed[]): string {
  const root = emptyGroup();
  for (const feed of feeds) {
    let group = root;
    for (const name of feed.path ?? []) {
      const inner = group.groups.get(name) ?? emptyGroup();
      group.groups.set(name, inner);
      group = inner;
    }
    group.feeds.push(feed);
  }
  return `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
<head><title>${text(title)}</title></head>
<body>
${outlines(root)}</body>
</opml>
`;
}

function outlines({ feeds, groups }: Group): string {
  const inner = [...groups].map(
    ([name, group]) => `<outline text="${text(name)}">\n${outlines(group)}</outline>\n`,
  );
  const own = feeds.map(
    ({ title, url }) =>
      `<outline type="rss" text="${text(title || url)}" title="${text(title || url)}" xmlUrl="${text(url)}"/>\n`,
  );
  return [...inner, ...own].join("");
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text between tags or quotes; control characters are no XML. */
function text(raw: string): string {
  return (
    raw
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "")
      .replace(/[&<>"']/g, (character) => entities[character] ?? "")
  );
}
