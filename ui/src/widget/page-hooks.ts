import { unwrap } from '../api';
import { createLinkApi, type StartedImport } from '../import/api';
import type { Peer } from './channel';
import { limited } from './limited';
import type { ImportBody } from './setup';

/** The kinds of hooks that a page has, as the API expects them. */
export type PageHookKinds = NonNullable<ImportBody['page_hooks']>;

/** A method call on the importer that a step hook made. */
export interface Command {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A call that the server makes; see PageCall in the server. */
interface PageCall {
  readonly hook: 'columns' | 'rows' | 'batch' | 'deleted' | 'step';
  readonly mode?: string;
  readonly field?: string;
  readonly batch?: number;
  readonly rows?: unknown[];
  readonly step?: string;
  readonly data?: unknown;
}

/** The pause after the server did not respond, in milliseconds. */
const retryAfter = 1000;

/**
 * Calls the hooks of the page for one import when the server requests it. A hook that throws an
 * exception, takes too long or returns an invalid result has no effect.
 */
export class PageHooks {
  readonly #peer: Peer;
  readonly #import: StartedImport;
  readonly #api;
  readonly #stopped = new AbortController();
  #announced = false;
  #answering = false;
  /** The calls of a step hook while it runs. */
  #commands: Command[] | null = null;

  /** `send` sends calls with the session of the review. */
  constructor(peer: Peer, started: StartedImport, send: typeof fetch) {
    this.#peer = peer;
    this.#import = started;
    this.#api = createLinkApi(send);
  }

  /** Records a method call if a step hook is running. Returns whether one is. */
  record(command: Command): boolean {
    this.#commands?.push(command);
    return this.#commands !== null;
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Answers the calls that are waiting. The event stream of the review announces them. */
  async answer(): Promise<void> {
    this.#announced = true;
    if (this.#answering) return;
    this.#answering = true;
    while (this.#announced && !this.#stopped.signal.aborted) {
      this.#announced = false;
      await this.#answerAll();
    }
    this.#answering = false;
  }

  async #answerAll(): Promise<void> {
    const { signal } = this.#stopped;
    const params = { path: { id: this.#import.id } };
    let body: { call?: number; result?: string } = {};
    while (!signal.aborted) {
      try {
        const next: { call: number; content: string } = await unwrap(this.#api.POST('/api/review/v1/{id}/page-hooks/', { params, body, signal }));
        if (next.call === 0) return;
        body = { call: next.call, result: await this.#answer(next.content) };
      } catch (error) {
        const { status = 0 } = error as { status?: number };
        if (status === 413) body = { ...body, result: '' }; // the result is too large
        else if (status >= 400 && status < 500 && status !== 429) return; // the import is gone
        await new Promise((done) => setTimeout(done, retryAfter));
      }
    }
  }

  /** Calls a hook. Returns its result as JSON, or "" if it failed. */
  async #answer(content: string): Promise<string> {
    try {
      const result = await limited(this.#call(JSON.parse(content) as PageCall), 'The hook');
      return JSON.stringify(result ?? null);
    } catch (error) {
      console.error('A hook of this page failed, so it has no effect.', error);
      return '';
    } finally {
      this.#commands = null;
    }
  }

  async #call({ hook, mode, field, batch, rows, step, data }: PageCall): Promise<unknown> {
    switch (hook) {
      case 'columns': return this.#peer.call('handleColumnHooks', field, rows);
      case 'rows': return this.#peer.call('handleRowHooks', rows, mode);
      case 'batch': return this.#peer.call('handleBatchRowHooks', rows, batch);
      case 'deleted': return this.#peer.call('handleRowDeleteHooks', rows);
      case 'step': {
        const commands: Command[] = (this.#commands = []);
        await this.#peer.call('handleStepHook', step, data);
        return { commands };
      }
    }
  }
}
