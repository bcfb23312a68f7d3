import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, openAsBlob, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const secret = '0123456789abcdef0123456789abcdef0123456789abcdef';
const key = `bk_${secret}`;
const examples = resolve('../examples');

export type Field = { readonly key: string; readonly label: string } & Readonly<Record<string, unknown>>;

/** The options of a new import. */
export interface Order {
  readonly fields: readonly Field[];
  /** Content of the file, or the path of the file. */
  readonly file: string | Uint8Array<ArrayBuffer> | { readonly path: string };
  readonly filename?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly hooks?: Readonly<Record<string, unknown>>;
}

/** An import as the server returns it. */
export interface Made {
  readonly id: string;
  readonly status: string;
  readonly upload: string;
  readonly review_url: string;
  readonly import_errors: readonly { readonly message: string }[] | null;
}

/** Additional flags and environment variables of the program. */
export interface ServiceSettings {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const ends: readonly string[] = ['NEEDS_REVIEW', 'SUCCESSFUL', 'FAILED'];

/** The built program with its own data folder, called as a customer's backend would call it. */
export class Service {
  readonly address: string;
  readonly #folder: string;
  readonly #port: number;
  #process: ChildProcess | null = null;

  readonly #settings: ServiceSettings;

  private constructor(folder: string, port: number, settings: ServiceSettings) {
    this.#folder = folder;
    this.#port = port;
    this.#settings = settings;
    this.address = `http://127.0.0.1:${port}`;
  }

  static async start(settings: ServiceSettings = {}): Promise<Service> {
    const service = new Service(mkdtempSync(join(tmpdir(), 'intray-e2e-')), await freePort(), settings);
    await service.up();
    return service;
  }

  /** Starts the program with the same folder and port as before. */
  async up(): Promise<void> {
    const env = { ...process.env, INTRAY_BACKEND_KEY: key, INTRAY_FRONTEND_KEY: `fk_${secret}`, ...this.#settings.env };
    const running = spawn(program(), ['serve', '--data', this.#folder, '--listen', `127.0.0.1:${this.#port}`, ...(this.#settings.args ?? [])], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = running;
    process.once('exit', () => running.kill('SIGKILL'));
    let said = '';
    running.stderr!.on('data', (chunk) => (said = (said + chunk).slice(-4000)));
    for (let tries = 0; tries < 600 && running.exitCode === null; tries++) {
      if (await fetch(`${this.address}/healthz`).then(() => true, () => false)) return;
      await pause(50);
    }
    throw new Error(`the service did not start: ${said}`);
  }

  /** Kills the program. By default, the program receives no warning, as in a power failure. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (!running || running.exitCode !== null) return;
    const gone = new Promise((done) => running.once('exit', done));
    running.kill(signal);
    await gone;
  }

  /** Returns the memory of the program, in MB. */
  memory(): number {
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#process!.pid}/status`, 'utf8'));
    return Number(resident?.[1] ?? 0) / 1000;
  }

  async close(): Promise<void> {
    await this.kill('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Creates an import, uploads its file, and waits until the import needs a review or has
   * finished.
   */
  async make(order: Order): Promise<Made> {
    const { id, upload } = await this.begin(order);
    const body = typeof order.file === 'object' && 'path' in order.file ? await openAsBlob(order.file.path) : order.file;
    const { pathname, search } = new URL(upload);
    await this.call('PUT', pathname + search, body, 'application/octet-stream');
    return this.until(id, ends);
  }

  /** Creates an import that waits for its file. */
  begin(order: Order): Promise<Made> {
    const { fields, filename = 'contacts.csv', settings = {}, hooks } = order;
    const body = { fields, original_filename: filename, settings: { title: 'Contacts', invalidDataBehavior: 'BLOCK_SUBMIT', ...settings }, ...(hooks && { hooks }) };
    return this.call<Made>('POST', '/api/v1/headless/imports/', JSON.stringify(body));
  }

  /** Creates an import of an example file that needs a review. */
  async example(name: string, file: string): Promise<Made> {
    const { fields, settings } = JSON.parse(readFileSync(join(examples, `${name}.schema.json`), 'utf8')) as { fields: Field[]; settings: object };
    return this.make({ fields, settings: { ...settings, invalidDataBehavior: 'BLOCK_SUBMIT' }, filename: file, file: new Uint8Array(readFileSync(join(examples, file))) });
  }

  async until(id: string, states: readonly string[]): Promise<Made> {
    for (;;) {
      const now = await this.call<Made>('GET', `/api/v1/headless/imports/${id}/`);
      if (states.includes(now.status)) return now;
      await pause(100);
    }
  }

  /** Returns the rows of the result. */
  async result(id: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { presigned_url: address } = await this.call<{ presigned_url: string }>('GET', `/api/v1/headless/imports/${id}/url/`);
    return (await fetch(address)).json() as Promise<Record<string, unknown>[]>;
  }

  async call<T>(method: string, path: string, body?: BodyInit, type = 'application/json'): Promise<T> {
    const headers = { 'X-Service-License-Key': key, ...(body !== undefined && { 'Content-Type': type }) };
    const response = await fetch(this.address + path, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }
}

/** A session of the review API without a page. */
export class Session {
  readonly #base: string;
  readonly #cookie: string;

  private constructor(base: string, cookie: string) {
    this.#base = base;
    this.#cookie = cookie;
  }

  static async open(made: Made): Promise<Session> {
    const link = new URL(made.review_url);
    const base = `${link.origin}/api/review/v1/${made.id}/`;
    const answer = await fetch(`${base}session/`, { method: 'POST', headers: { authorization: `Bearer ${link.hash.slice(1)}`, 'sec-fetch-site': 'same-origin' } });
    if (!answer.ok) throw new Error(`no session: ${answer.status} ${await answer.text()}`);
    return new Session(base, answer.headers.getSetCookie().map((one) => one.split(';')[0]).join('; '));
  }

  async get<T>(path: string): Promise<T> {
    return this.#parse(await fetch(this.#base + path, { headers: { cookie: this.#cookie } }));
  }

  /** Reads a response and returns its length in bytes. Parsing would distort the measurement. */
  async length(path: string): Promise<number> {
    const answer = await fetch(this.#base + path, { headers: { cookie: this.#cookie } });
    if (!answer.ok) return this.#parse(answer);
    return (await answer.arrayBuffer()).byteLength;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    const headers = { cookie: this.#cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    return this.#parse(await fetch(this.#base + path, { method: 'POST', headers, body: JSON.stringify(body) }));
  }

  /** Returns the event stream of the import. */
  async events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const answer = await fetch(`${this.#base}events/`, { headers: { cookie: this.#cookie }, signal });
    return answer.body!;
  }

  async #parse<T>(answer: Response): Promise<T> {
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }
}

let path: string | undefined;

/** Returns the path of the program. Builds the program once. */
export function program(): string {
  if (path) return path;
  if (process.env.INTRAY_BINARY) return (path = process.env.INTRAY_BINARY);
  const target = resolve('.built/intray-e2e');
  const { status } = spawnSync('go', ['build', '-o', target, './cmd/intray'], { cwd: '..', stdio: 'inherit' });
  if (status !== 0) throw new Error('the program could not be built');
  return (path = target);
}

/** Returns a missing requirement of these tests; "" if nothing is missing. */
export function missingRequirement(chromium: string): string {
  if (!existsSync(chromium)) return `no browser at ${chromium}`;
  if (!process.env.INTRAY_BINARY && spawnSync('go', ['version']).status !== 0) return 'no Go to build the program';
  return '';
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

export function freePort(): Promise<number> {
  return new Promise((done) => {
    const socket = createServer();
    socket.listen(0, '127.0.0.1', () => {
      const { port } = socket.address() as { port: number };
      socket.close(() => done(port));
    });
  });
}
