import type { ComponentChildren } from 'preact';
import { h } from 'preact';

/** The elements that a message of the page may contain. Others are shown as their content. */
const allowed = new Set(['p', 'br', 'b', 'strong', 'i', 'em', 'u', 's', 'small', 'code', 'ul', 'ol', 'li', 'h1', 'h2', 'h3', 'h4', 'div', 'span', 'a']);
/** Elements whose content is not text for people. */
const hidden = new Set(['script', 'style', 'template', 'iframe', 'object', 'svg', 'math', 'title', 'textarea', 'select', 'noscript']);
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };
/** Maximum length of a message, in characters. */
const maxLength = 20_000;

/** A comment, a tag or a text. */
const token = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|[^<]+|</g;

interface Open {
  readonly name: string;
  readonly href: string;
  readonly content: ComponentChildren[];
}

/**
 * Renders HTML of the page that embeds the importer. Only simple elements remain, without attributes
 * except the addresses of links, so that nothing in it can run or look like the importer.
 */
export function SafeHtml({ html }: { html: string }) {
  const open: Open[] = [{ name: '', href: '', content: [] }];
  let skipped = '';
  const last = () => open[open.length - 1]!;
  const close = () => {
    const { name, href, content } = open.pop()!;
    last().content.push(name === 'a' ? <a href={href} target="_blank" rel="noopener noreferrer">{content}</a> : h(name, null, content));
  };
  for (const [text, slash, tag, attributes] of html.slice(0, maxLength).matchAll(token)) {
    const name = tag?.toLowerCase() ?? '';
    if (skipped) {
      if (slash && name === skipped) skipped = '';
    } else if (!tag) {
      if (!text.startsWith('<!--')) last().content.push(decode(text));
    } else if (slash) {
      if (open.some((one) => one.name === name)) while (open.length > 1 && last().name !== name) close();
      if (last().name === name && open.length > 1) close();
    } else if (hidden.has(name)) {
      skipped = name;
    } else if (name === 'br') {
      last().content.push(<br />);
    } else if (allowed.has(name)) {
      const href = name === 'a' ? addressOf(attributes ?? '') : '';
      open.push({ name: name === 'a' && !href ? 'span' : name, href, content: [] });
    }
  }
  while (open.length > 1) close();
  return <div class="host-html">{open[0]!.content}</div>;
}

/** Returns the address of a link if it is a web page or an email address; "" otherwise. */
function addressOf(attributes: string): string {
  const found = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes);
  const address = decode(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim();
  return /^(?:https?:\/\/|mailto:)/i.test(address) ? address : '';
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    const code = decimal ? Number(decimal) : hex ? parseInt(hex, 16) : 0;
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    return entities[name?.toLowerCase() ?? ''] ?? whole;
  });
}
