// Frames with replays follow the theme that the reader has chosen for the page.

function themeFrames() {
  const { theme } = document.body.dataset;
  for (const frame of document.querySelectorAll("iframe.replay")) {
    const page = frame.contentDocument?.documentElement; // null where the site is opened from files
    if (!page) continue;
    if (theme === "light" || theme === "dark") page.dataset.theme = theme;
    else delete page.dataset.theme;
  }
}

document.addEventListener("DOMContentLoaded", () => {
  for (const frame of document.querySelectorAll("iframe.replay")) frame.addEventListener("load", themeFrames);
  new MutationObserver(themeFrames).observe(document.body, { attributeFilter: ["data-theme"] });
  themeFrames();
});
