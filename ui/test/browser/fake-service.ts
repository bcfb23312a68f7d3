import type { IncomingMessage, ServerResponse } from 'node:http';
import { cleanRows, counts, rows, table } from './sample-table';
import type { FilePreview, Import, Layout, Questions, Submission, Table } from '../../src/api/shapes';

/** The responses of the server. A number is an error status. */
export interface Scene {
  facts: Import;
  layout?: Layout;
  questions?: Questions;
  submission?: Submission;
  /** Whether no row has an error. */
  clean?: boolean;
  /** The first rows of each sheet of the file. */
  sheets?: readonly { readonly name: string; readonly rows: string[][] }[];
  /** Error responses, by method and end of the path. */
  refuse?: Record<string, { status: number; code: string; message_code?: string; detail: string; changes?: number }>;
  /** Whether calls get no response. */
  dead?: boolean;
  /** Response delay in milliseconds. */
  slow?: number;
}

/** The first rows of a file, the third of which contains the column names. */
const filePreview: FilePreview = {
  sheets: [{ name: '', hidden: false, answer: '#1' }], sheet: 0, more: true,
  rows: [
    ['Kundenliste'], ['Stand 12.11.2026'],
    ['Name', 'E-Mail', 'Land', 'geb.', 'Tel. 1', 'Tel. 2', 'interne Notiz (nicht weitergeben)'],
    ['Anna Weiß', 'anna@example.org', 'Germany', '31.12.1990', '+49 30 1234567', '', 'ruft zurück'],
    ['Ben Okafor', 'ben@example.com', 'Deutschl.', '01.02.1988', '0171 5550123', '030 987654', 'VIP'],
    ['Zoë Martín', 'zoe(at)example.net', 'AT', '17.05.2001', '+43 1 5125', '', 'Vertrag bis 2027'],
    ...Array.from({ length: 17 }, (_, at) => [`Kunde ${at + 4}`, `kunde${at + 4}@example.org`, 'AT', '01.02.1988', '', '', '']),
  ],
};

/** A fake of the server's review API. */
export class Fake {
  scene: Scene;
  /** The received calls, each as method, end of the path and body. */
  readonly calls: string[] = [];
  /** Changes to make to the scene after a call, by method and end of the path. */
  readonly then: Record<string, (scene: Scene) => void> = {};
  #streams = new Set<ServerResponse>();
  #run = 1;

  constructor(scene: Scene) {
    this.scene = scene;
  }

  /** Sends the state of the import to the open pages, as a new run. */
  emit(): void {
    this.#run++;
    for (const stream of this.#streams) this.#state(stream);
  }

  /** Ends the event streams as if the connection were lost. */
  cut(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  async serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = new URL(request.url!, 'http://x').pathname;
    const end = path.split('/').slice(5).join('/');
    const body = await read(request);
    const name = `${request.method} ${end}`;
    if (this.scene.dead) return void request.socket.destroy();
    if (end !== 'events/') this.calls.push(`${name} ${body}`.trim());
    if (this.scene.slow) await new Promise((done) => setTimeout(done, this.scene.slow));
    const refusal = this.scene.refuse?.[name] ?? this.scene.refuse?.['*'];
    if (refusal) return json(answer, refusal.status, { ...refusal, request_id: 'req_7Q2M4' });
    if (end === 'events/') return this.#stream(answer);
    this.then[name]?.(this.scene);
    const found = this.#answer(name, new URL(request.url!, 'http://x').searchParams);
    if (found === undefined) return json(answer, 404, { detail: 'The import does not exist.', code: 'not_found', request_id: 'req_1' });
    json(answer, 200, found);
  }

  #answer(name: string, query: URLSearchParams): unknown {
    const { facts, layout, questions, submission } = this.scene;
    switch (name) {
      case 'POST session/': case 'GET ': case 'POST run-again/': return facts;
      case 'GET layout/': case 'POST layout/': return layout;
      case 'GET questions/': case 'POST questions/': return questions ?? { status: facts.status, questions: [], answers: {} };
      case 'GET submit/': case 'POST submit/': return submission;
      case 'GET preview/': return this.#preview(Number(query.get('sheet') ?? 0));
      case 'GET table/': return this.#table();
      case 'GET rows/': return this.scene.clean || query.get('show') === 'valid' ? cleanRows : rows;
      case 'GET counts/': return this.scene.clean ? [] : counts;
      case 'GET values/': return { values: [{ text: 'zoe(at)example.net', count: 1, suggestions: [] }], more: 0 };
      case 'GET next/': return { next: { id: '2', place: 2 } };
      default: return undefined;
    }
  }

  #table(): Table {
    return this.scene.clean ? { ...table, totals: { ...table.totals, errors: 0 } } : table;
  }

  #preview(sheet: number): FilePreview {
    const { sheets } = this.scene;
    if (!sheets) return filePreview;
    return { sheets: sheets.map(({ name }) => ({ name, hidden: false, answer: name })), sheet, rows: sheets[sheet]!.rows, more: false };
  }

  #stream(answer: ServerResponse): void {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#streams.add(answer);
    answer.on('close', () => this.#streams.delete(answer));
    this.#state(answer);
  }

  #state(stream: ServerResponse): void {
    const { facts } = this.scene;
    const totals = facts.status === 'NEEDS_REVIEW' ? this.#table().totals : null;
    stream.write(`event: state\ndata: ${JSON.stringify({ status: facts.status, run: this.#run, change: 0, totals })}\n\n`);
  }
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

function json(answer: ServerResponse, status: number, body: unknown): void {
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
