/** Makes an element with a class and attributes; never from markup. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Sets an attribute or, with null, removes it; writes only what differs. */
export function setAttribute(element: Element, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function isRtl(element: Element): boolean {
  // Unlike its style, this is known before the page is laid out.
  return element.matches(':dir(rtl)');
}
