/**
 * The protocol between the widget and the page that embeds it, as in the library Penpal 5.3. This
 * module is the child's side. The child sends syn, the parent replies with synAck and the names of its
 * methods, and the child replies with ack and the names of its own. After that, either side can send a
 * call with an id, and the other side sends a reply with the same id.
 */

type Method = (...args: never[]) => unknown;
type Methods = Readonly<Record<string, Method>>;

/** The page that embeds the widget. */
export interface Peer {
  /** The origin of the page; "null" if it has none, such as a file. */
  readonly origin: string;
  /** Returns whether the page has a method. */
  has(method: string): boolean;
  /** Calls a method of the page. Rejects if the method does, or if the channel was closed. */
  call(method: string, ...args: unknown[]): Promise<unknown>;
}

/** How often the first message is repeated until the page answers, in milliseconds. */
const synInterval = 500;

interface Message {
  readonly penpal?: unknown;
  readonly id?: unknown;
  readonly methodName?: unknown;
  readonly methodNames?: unknown;
  readonly args?: unknown;
  readonly resolution?: unknown;
  readonly returnValue?: unknown;
  readonly returnValueIsError?: unknown;
}

/**
 * Connects to the page that embeds this frame. Messages of other windows are ignored and, after the
 * first answer, those of other origins, too. `connected` is called before the first call of the page.
 */
export function connectToParent(methods: Methods, connected: (peer: Peer) => void, parent: Window = window.parent): void {
  let peer: ParentPeer | null = null;
  const post = (message: unknown, origin: string) => parent.postMessage(message, origin);
  addEventListener('message', (event: MessageEvent<Message | null>) => {
    const message = event.data;
    if (event.source !== parent || typeof message !== 'object' || message === null) return;
    if (message.penpal === 'synAck' && peer === null && Array.isArray(message.methodNames)) {
      clearInterval(timer);
      peer = new ParentPeer(event.origin, new Set(message.methodNames.filter((name) => typeof name === 'string')), post);
      connected(peer);
      peer.post({ penpal: 'ack', methodNames: Object.keys(methods) });
      return;
    }
    if (peer === null || event.origin !== peer.origin) return;
    if (message.penpal === 'reply') peer.onReply(message);
    if (message.penpal === 'call') void answer(methods, message, peer);
  });
  const syn = () => post({ penpal: 'syn' }, '*'); // contains nothing that the page must not know
  const timer = setInterval(syn, synInterval);
  syn();
}

async function answer(methods: Methods, { id, methodName, args }: Message, peer: ParentPeer): Promise<void> {
  const reply = (resolution: 'fulfilled' | 'rejected', value: object) => peer.post({ penpal: 'reply', id, resolution, ...value });
  try {
    if (typeof methodName !== 'string' || !Object.hasOwn(methods, methodName)) throw new Error(`The importer has no method ${String(methodName)}.`);
    const returnValue = await methods[methodName]!(...((Array.isArray(args) ? args : []) as never[]));
    reply('fulfilled', { returnValue });
  } catch (error) {
    const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    reply('rejected', { returnValue: { name, message, stack }, returnValueIsError: true });
  }
}

class ParentPeer implements Peer {
  readonly origin: string;
  readonly #methods: ReadonlySet<string>;
  readonly #post: (message: unknown, origin: string) => void;
  readonly #waiting = new Map<unknown, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #calls = 0;

  constructor(origin: string, methods: ReadonlySet<string>, post: (message: unknown, origin: string) => void) {
    this.origin = origin;
    this.#methods = methods;
    this.#post = post;
  }

  has(method: string): boolean {
    return this.#methods.has(method);
  }

  post(message: unknown): void {
    this.#post(message, this.origin === 'null' ? '*' : this.origin);
  }

  call(method: string, ...args: unknown[]): Promise<unknown> {
    if (!this.has(method)) return Promise.reject(new Error(`The page has no method ${method}.`));
    return new Promise((resolve, reject) => {
      const id = ++this.#calls;
      this.#waiting.set(id, { resolve, reject });
      this.post({ penpal: 'call', id, methodName: method, args });
    });
  }

  onReply({ id, resolution, returnValue, returnValueIsError }: Message): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (resolution === 'fulfilled') waiting.resolve(returnValue);
    else waiting.reject(new Error(returnValueIsError ? String((returnValue as { message?: unknown } | null)?.message) : String(returnValue)));
  }
}
