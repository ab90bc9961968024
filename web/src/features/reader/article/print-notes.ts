/**
 * For paper: numbers the links of a text, and lists their addresses after it. Returns a function that takes both back.
 */
export function addNotes(text: HTMLElement): () => void {
  const numbers = new Map<string, number>();
  const links = [...text.querySelectorAll<HTMLAnchorElement>("a[href]")].filter(
    ({ protocol, textContent }) => /^(https?|mailto):$/.test(protocol) && textContent?.trim(),
  );
  for (const link of links) {
    // Within the page.
    if (link.getAttribute("href")?.startsWith("#")) continue;
    const number = numbers.get(link.href) ?? numbers.size + 1;
    numbers.set(link.href, number);
    link.dataset.note = String(number);
  }
  const list = document.createElement("ol");
  list.className = "print-only print-notes";
  for (const address of numbers.keys()) {
    const note = document.createElement("li");
    note.textContent = address;
    list.append(note);
  }
  if (numbers.size > 0) text.after(list);
  return () => {
    list.remove();
    for (const link of links) delete link.dataset.note;
  };
}

/** Adds them whenever the page is printed. */
export function noteOnPaper(text: HTMLElement): () => void {
  let remove = () => {};
  const before = () => {
    remove();
    remove = addNotes(text);
  };
  const after = () => remove();
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  return () => {
    remove();
    removeEventListener("beforeprint", before);
    removeEventListener("afterprint", after);
  };
}
