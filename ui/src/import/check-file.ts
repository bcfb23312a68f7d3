/** Why a file cannot be imported, before any of it is sent. */
export type FileProblem = 'empty' | 'tooLarge' | 'encrypted' | 'pdf' | 'document' | 'image' | 'lockFile' | 'unreadable';

/** Number of bytes at the start of a file that are inspected. */
const inspected = 64 * 1024;

/**
 * Returns the reason why a file cannot be imported, or null if none was found. It reads only the
 * start of the file, so the server may still find a problem.
 */
export async function checkFile(file: File, maxSize: number): Promise<FileProblem | null> {
  const problem = checkSize(file, maxSize);
  if (problem) return problem;
  // Office programs create these files next to a workbook that is open.
  if (file.name.startsWith('~$')) return 'lockFile';
  const head = new Uint8Array(await file.slice(0, inspected).arrayBuffer());
  return problemOfStart(head);
}

/** Returns the reason why a file of this size cannot be imported, or null if there is none. */
export function checkSize({ size }: File, maxSize: number): FileProblem | null {
  return size === 0 ? 'empty' : size > maxSize ? 'tooLarge' : null;
}

const signatures: readonly (readonly [readonly number[], FileProblem])[] = [
  [[0x25, 0x50, 0x44, 0x46, 0x2d], 'pdf'], // %PDF-
  [[0x89, 0x50, 0x4e, 0x47], 'image'],
  [[0xff, 0xd8, 0xff], 'image'],
  [[0x47, 0x49, 0x46, 0x38], 'image'], // GIF8
  [[0x7b, 0x5c, 0x72, 0x74, 0x66], 'document'], // {\rtf
];

/** Returns the problem that the first bytes of a file show, or null if there is none. */
export function problemOfStart(head: Uint8Array): FileProblem | null {
  for (const [start, problem] of signatures) if (start.every((byte, at) => head[at] === byte)) return problem;
  const isOle = [0xd0, 0xcf, 0x11, 0xe0].every((byte, at) => head[at] === byte);
  // The directory of a protected workbook names this stream, in UTF-16.
  if (isOle && includes(head, utf16('EncryptedPackage'))) return 'encrypted';
  if (isOle && includes(head, utf16('WordDocument'))) return 'document';
  const isZip = head[0] === 0x50 && head[1] === 0x4b;
  // Bit 0 of the flags of the first entry means that it is encrypted.
  if (isZip && head[2] === 3 && head[3] === 4 && (head[6]! & 1) === 1) return 'encrypted';
  if (isZip && includes(head, ascii('word/'))) return 'document';
  return null;
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (one) => one.charCodeAt(0));
}

function utf16(text: string): Uint8Array {
  return Uint8Array.from([...text].flatMap((one) => [one.charCodeAt(0), 0]));
}

function includes(all: Uint8Array, part: Uint8Array): boolean {
  for (let at = 0; at + part.length <= all.length; at++) {
    if (part.every((byte, offset) => all[at + offset] === byte)) return true;
  }
  return false;
}
