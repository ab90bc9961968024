/* Blocking and tiny: sets theme and language before the first paint (the CSP forbids inline scripts). */
((d) => {
  var s = {};
  try {
    s = JSON.parse(localStorage.getItem("ruri.settings")) || s;
  } catch {
    // storage is forbidden: the system decides
  }
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
