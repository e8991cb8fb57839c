// Tables that are wider than their box can be reached and scrolled with the keyboard.

export function scrolling(): void {
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const isWider = target.scrollWidth > target.clientWidth + 1;
      if (isWider) {
        target.setAttribute("tabindex", "0");
        target.setAttribute("role", "region");
      } else {
        target.removeAttribute("tabindex");
        target.removeAttribute("role");
      }
    }
  });
  for (const box of document.querySelectorAll(".scroll")) watch.observe(box);
}
