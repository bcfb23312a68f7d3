import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Strings that would run a script if a page treated them as more than text. Each script
 * sets window.x.
 */
export const scripts: readonly string[] = [
  '<script>window.x=1</script>',
  '"><script>window.x=1</script>',
  '<img src=x onerror=window.x=1>',
  '<svg onload=window.x=1>',
  '<svg><script>window.x=1</script></svg>',
  '<iframe srcdoc="<script>parent.x=1</script>"></iframe>',
  '<iframe src="javascript:parent.x=1"></iframe>',
  '<a href="javascript:window.x=1">x</a>',
  'javascript:window.x=1',
  '" onmouseover="window.x=1" x="',
  "' onfocus='window.x=1' autofocus='",
  '<input autofocus onfocus=window.x=1>',
  '<details open ontoggle=window.x=1>',
  '<body onload=window.x=1>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.x=1&gt;">',
  '<style>@import"//example.org/x.css";*{color:red}</style>',
  '<link rel=stylesheet href=//example.org/x.css>',
  '<meta http-equiv=refresh content="0;url=//example.org">',
  '<base href=//example.org>',
  '<form action=//example.org><button>x</button></form>',
  '<object data="data:text/html,<script>parent.x=1</script>"></object>',
  '{{constructor.constructor("window.x=1")()}}',
  '${window.x=1}',
  '</textarea></title></style></script><script>window.x=1</script>',
  '&lt;script&gt;window.x=1&lt;/script&gt;',
  '__proto__',
  'constructor',
];

/** Strings that are hard to display or look like other strings. */
export const odd: readonly string[] = [
  'a\u202ecod.exe', 'zero\u200bwidth', '\ufeffmark', 'tab\there', 'two\nlines', 'bell\u0007', 'é', 'e\u0301', 'ﷺ', '👩‍👩‍👧', '🏳️‍🌈', 'Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤', 'السلام عليكم 123', '田中さん', '=1+1', '+49', '@SUM(A1)', '-1', 'NaN', 'undefined', 'null', '0x10', '1e309', "'; DROP TABLE rows;--", '%s%n', '%00', '\\', '/dev/null', 'CON',
];

/** Returns the Big List of Naughty Strings, or null if it is not available. */
export function naughtyStrings(): readonly string[] | null {
  for (let folder = process.cwd(); dirname(folder) !== folder; folder = dirname(folder)) {
    const file = join(folder, 'shared/corpora/naughty-strings/blns.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as string[];
  }
  return null;
}

/** Returns one line of CSV. */
export function line(texts: readonly string[]): string {
  return `${texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\n`;
}
