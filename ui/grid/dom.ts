/** Creates an element with a class and attributes. It never parses markup. */
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

/**
 * Sets an attribute, or removes it if value is null. Does nothing if the attribute already
 * has the value.
 */
export function setAttribute(element: Element, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function isRtl(element: Element): boolean {
  // Unlike getComputedStyle, matching :dir() does not force the browser to calculate styles.
  return element.matches(':dir(rtl)');
}
