/**
 * Changes what differs and nothing else, so that a selection, a focus and a scroll position in a text that still grows stay
 * where they are (U3). This is the panel's only way from a string to elements: `html` must come from `markdown.ts`.
 */
export function morph(target: Element, html: string): void {
  const template = document.createElement('template');
  template.innerHTML = html;
  morphChildren(target, template.content);
}

function morphChildren(target: Node, wanted: Node): void {
  const news = [...wanted.childNodes];
  const olds = [...target.childNodes];
  news.forEach((node, at) => {
    const old = olds[at];
    if (old === undefined) target.appendChild(node);
    else if (!morphNode(old, node)) target.replaceChild(node, old);
  });
  for (const old of olds.slice(news.length)) target.removeChild(old);
}

/** False when one cannot become the other. */
function morphNode(old: Node, wanted: Node): boolean {
  if (old instanceof Text && wanted instanceof Text) {
    if (wanted.data.startsWith(old.data)) old.appendData(wanted.data.slice(old.data.length));
    else old.data = wanted.data;
    return true;
  }
  if (!(old instanceof Element && wanted instanceof Element) || old.tagName !== wanted.tagName) return false;
  for (const { name } of [...old.attributes]) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  morphChildren(old, wanted);
  return true;
}
