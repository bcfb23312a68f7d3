import { joints } from './joints';
import type { Locale, Message, MessageCatalogue, RenderMessage } from './types';

/** Maximum depth of nested messages, the same as in the service. */
const maxNesting = 16;

/**
 * Renders the service's messages in a language, as message.go does in English. Returns null if
 * the catalogue lacks the code of the message or of a nested one.
 */
export function messageRenderer(catalogue: MessageCatalogue, locale: Locale): RenderMessage {
  const { comma = ', ', semicolon = '; ', and, or, repeated = false } = joints[locale.language];

  function sentence({ code = '', params = {} }: Message, depth: number): string | null {
    const entry = Object.hasOwn(catalogue, code) ? catalogue[code] : undefined;
    if (entry === undefined || depth > maxNesting) return null;
    const form = typeof params.n === 'number' ? locale.plural(params.n) : 'other';
    const text = typeof entry === 'string' ? entry : (entry[form] ?? entry.other ?? '');
    let complete = true;
    const filled = text.replace(/\{(\w+)(?:, ([^}]*))?\}/g, (_, name: string, joint = '') => {
      const value = textOf(params[name], joint, depth + 1);
      if (value === null) complete = false;
      return value ?? '';
    });
    return complete ? filled : null;
  }

  function textOf(param: unknown, joint: string, depth: number): string | null {
    if (typeof param === 'number') return locale.number(param);
    if (typeof param === 'string') return locale.isolate(printable(param));
    if (Array.isArray(param)) {
      const texts = param.map((one) => textOf(one, '', depth));
      return texts.every((one) => one !== null) ? join(texts, joint) : null;
    }
    if (typeof param !== 'object' || param === null) return '';
    const message: Message = param;
    return message.code ? sentence(message, depth) : locale.isolate(printable(message.text ?? ''));
  }

  function join(texts: readonly string[], joint: string): string {
    if (joint === ';') return texts.join(semicolon);
    if (joint !== 'and' && joint !== 'or') return texts.join(comma);
    const word = joint === 'and' ? and : or;
    if (repeated || texts.length < 2) return texts.join(word);
    return texts.slice(0, -1).join(comma) + word + texts.at(-1)!;
  }

  return (message) => (message.code ? sentence(message, 0) : null);
}

/** Replaces control characters, which may come from a file. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]/g, ' ');
}
