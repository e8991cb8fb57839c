// Marks the section that is read in the contents.

export function contents(): void {
  const links = new Map<Element, Element>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav.contents a")) {
    const section = document.getElementById(link.hash.slice(1));
    if (section) links.set(section, link);
  }
  const seen = new Set<Element>();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) isIntersecting ? seen.add(target) : seen.delete(target);
      const read = [...links.keys()].find((section) => seen.has(section));
      for (const [section, link] of links) {
        if (section === read) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-15% 0px -55% 0px" },
  );
  for (const section of links.keys()) watch.observe(section);
}
