/** Methods that the other side can call. */
export type Methods = Record<string, (...args: any[]) => unknown>;

/** A connection with a frame. */
export interface Connection {
  /** Reports whether the frame is connected and has the method. */
  has(method: string): boolean;
  /** Calls a method of the frame. Rejects if it fails or is missing, or the connection is closed. */
  call(method: string, ...args: unknown[]): Promise<unknown>;
  /** Stops listening, and rejects all calls without a reply. */
  close(): void;
}

/**
 * Connects a page with a frame. This is the side of the page in the protocol of Penpal 5.3: the
 * frame sends `syn`, the page responds with `synAck`, and the frame confirms with `ack`. Then
 * each side can send a `call`, which the other side answers with a `reply`.
 *
 * The connection accepts messages only from the window of the frame and from one origin, and
 * sends messages only to this origin. Connect before you insert the frame, because it sends
 * `syn` only once.
 *
 * connected is called when the frame is connected, and again if it was reloaded. unexpected is
 * called if a frame that is not connected sends a message of another protocol or origin.
 */
export function connect(
  frame: HTMLIFrameElement, origin: string, methods: Methods, connected: () => void, unexpected: (origin: string) => void,
): Connection {
  const pending = new Map<unknown, [resolve: (value: unknown) => void, reject: (reason: unknown) => void]>();
  let remote: Set<unknown> | null = null;
  let calls = 0;

  function send(kind: string, message: object): void {
    frame.contentWindow?.postMessage({ penpal: kind, ...message }, origin);
  }

  function disconnect(): void {
    remote = null;
    pending.forEach(([, reject]) => reject(new Error('The importer was closed.')));
    pending.clear();
  }

  async function answer({ id, methodName, args }: any): Promise<void> {
    const caller = remote;
    const reply = (resolution: string, returnValue: unknown): void => {
      // A reloaded frame numbers its calls from the start, and must not receive this reply.
      if (caller === remote) send('reply', { id, resolution, returnValue, returnValueIsError: resolution === 'rejected' });
    };
    try {
      if (!Object.hasOwn(methods, methodName)) throw new Error(`There is no method ${methodName}.`);
      reply('fulfilled', await methods[methodName]!(...args));
    } catch (error) {
      const { name, message, stack } = error as Error;
      reply('rejected', { name, message, stack });
    }
  }

  function receive({ source, origin: sender, data }: MessageEvent): void {
    if (!source || source !== frame.contentWindow) return;
    const kind: unknown = data?.penpal;
    if (sender !== origin || !kind) {
      if (!remote) unexpected(sender);
    } else if (kind === 'syn') {
      disconnect();
      send('synAck', { methodNames: Object.keys(methods) });
    } else if (kind === 'ack' && !remote) {
      remote = new Set(Array.isArray(data.methodNames) ? data.methodNames : []);
      connected();
    } else if (kind === 'reply') {
      const { id, resolution, returnValue, returnValueIsError } = data;
      const [resolve, reject] = pending.get(id) ?? [];
      pending.delete(id);
      if (resolution === 'fulfilled') resolve?.(returnValue);
      else reject?.(returnValueIsError ? Object.assign(new Error(), returnValue) : returnValue);
    } else if (kind === 'call' && remote) {
      void answer(data);
    }
  }

  const has = (method: string): boolean => !!remote?.has(method);
  addEventListener('message', receive);
  return {
    has,
    call: (methodName, ...args) =>
      new Promise((resolve, reject) => {
        if (!has(methodName)) throw new Error(`The importer is not open, or does not support ${methodName}.`);
        const id = ++calls;
        send('call', { id, methodName, args });
        pending.set(id, [resolve, reject]);
      }),
    close: () => {
      removeEventListener('message', receive);
      disconnect();
    },
  };
}
