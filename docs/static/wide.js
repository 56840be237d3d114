// Code and tables that are wider than the page can be scrolled with the keyboard, too.

function focusWide() {
  for (const box of document.querySelectorAll("pre, .highlight, .table-wrapper, .cell_output")) {
    const scrolls = box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX);
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

document.addEventListener("DOMContentLoaded", focusWide);
window.addEventListener("resize", focusWide);
