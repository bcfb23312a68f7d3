/**
 * Server-sent events over a function like `fetch`. Unlike EventSource, it can send a token, but it
 * does not reconnect after the stream has ended.
 */
export class EventStream {
  readonly #target = new EventTarget();
  readyState: number = EventSource.CONNECTING;
  readonly #reading = new AbortController();

  constructor(address: string, send: typeof fetch) {
    void this.#read(address, send);
  }

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.#target.addEventListener(type, listener as EventListener);
  }

  close(): void {
    this.readyState = EventSource.CLOSED;
    this.#reading.abort();
  }

  async #read(address: string, send: typeof fetch): Promise<void> {
    try {
      const answer = await send(address, { headers: { accept: 'text/event-stream' }, cache: 'no-store', signal: this.#reading.signal });
      if (!answer.ok || !answer.body) throw new Error(`The event stream has the status ${answer.status}.`);
      this.readyState = EventSource.OPEN;
      this.#target.dispatchEvent(new Event('open'));
      for await (const { type, data } of eventsOf(answer.body)) this.#target.dispatchEvent(new MessageEvent(type, { data }));
    } catch {
      // such as a lost connection
    }
    if (this.readyState === EventSource.CLOSED) return;
    this.readyState = EventSource.CLOSED;
    this.#target.dispatchEvent(new Event('error'));
  }
}

/** Parses a stream of server-sent events, as the HTML standard defines them. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ type: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
      const valueOf = (name: string) => fields.filter((field) => field?.[1] === name).map((field) => field![2]).join('\n');
      if (valueOf('data')) yield { type: valueOf('event') || 'message', data: valueOf('data') };
    }
  }
}
