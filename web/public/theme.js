/* Blocking and tiny: sets theme and language before the first paint (the CSP forbids inline scripts). */
((d) => {
  var s = {};
  try {
    s = { t: localStorage.getItem("ruri.theme"), l: localStorage.getItem("ruri.lang") };
  } catch {
    // storage is forbidden: the system decides
  }
  d.dataset.theme =
    s.t === "light" || s.t === "dark"
      ? s.t
      : matchMedia("(prefers-color-scheme: dark)").matches
        ? "dark"
        : "light";
  d.lang = s.l || (/^ja\b/.test(navigator.language) ? "ja" : "en");
})(document.documentElement);
