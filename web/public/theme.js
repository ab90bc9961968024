/* Blocking and tiny: sets theme and language before the first paint (the CSP forbids inline scripts). */
((d) => {
  var s = {};
  try {
    s = JSON.parse(localStorage.getItem("ruri.settings")) || s;
  } catch {
    // storage is forbidden: the system decides
  }
  // What panes.ts keeps: how wide the panes are, and which are hidden.
  var p = {};
  try {
    p = JSON.parse(localStorage.getItem("ruri.panes")) || p;
  } catch {
    // as usual
  }
  if (p.side > 0) d.style.setProperty("--side-w", `${p.side}px`);
  if (p.list > 0) d.style.setProperty("--list-w", `${p.list}px`);
  if (p.hidden) d.dataset.hide = p.hidden;
  d.dataset.theme =
    s.theme === "light" || s.theme === "dark"
      ? s.theme
      : matchMedia("(prefers-color-scheme: dark)").matches
        ? "dark"
        : "light";
  d.lang =
    s.language === "ja" || s.language === "en"
      ? s.language
      : /^ja\b/.test(navigator.language)
        ? "ja"
        : "en";
})(document.documentElement);
