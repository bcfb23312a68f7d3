import { faultOf } from '../api/fault';

/** Maximum number of rows that are handed over in one message. */
const rowsPerBatch = 5000;
/** Maximum size of a batch as text, in characters. A single row may be larger. */
const sizePerBatch = 4_000_000;

export type Row = Record<string, unknown>;

/**
 * Reads the rows of a review in batches, each as soon as it has arrived. Throws a Fault if the server
 * refuses, and a TypeError if the connection is lost.
 */
export async function* readRows(send: typeof fetch, review: string): AsyncGenerator<Row[]> {
  const answer = await send(`${review}result/`, { cache: 'no-store' });
  if (!answer.ok || !answer.body) throw faultOf(answer.status, await answer.json().catch(() => null));
  let rows: Row[] = [];
  let size = 0;
  for await (const line of linesOf(answer.body)) {
    rows.push(JSON.parse(line) as Row);
    size += line.length;
    if (rows.length < rowsPerBatch && size < sizePerBatch) continue;
    yield rows;
    rows = [];
    size = 0;
  }
  if (rows.length > 0) yield rows;
}

/** Returns the metadata of the rows. Throws like readRows. */
export async function readMetadata(send: typeof fetch, review: string): Promise<Record<string, unknown>> {
  const answer = await send(`${review}result/metadata/`, { cache: 'no-store' });
  if (!answer.ok) throw faultOf(answer.status, await answer.json().catch(() => null));
  return answer.json();
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest) yield rest;
}
