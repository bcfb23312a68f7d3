import { createServer, type Server } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { build } from 'vite';

/** The published client that existing products use, as a script for web pages. */
const client = readFileSync('node_modules/dromo-uploader-js/dist/DromoUploader.js');

/** Builds our own client as a script for web pages, with the global Intray. */
async function buildOwnClient(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, target: 'chrome123', lib: { entry: '../sdk/importer/src/script.ts', formats: ['iife'], name: 'Intray', fileName: 'intray' } },
  });
  const [{ output }] = (Array.isArray(made) ? made : [made]) as [{ output: { code?: string }[] }];
  return output[0]!.code!;
}

/** Builds a page with the published component for React, with the global ReactProduct. */
async function buildReactPage(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { write: false, target: 'chrome123', minify: false, lib: { entry: 'e2e/react-product.ts', formats: ['iife'], name: 'ReactProduct', fileName: 'react' } },
  });
  const [{ output }] = (Array.isArray(made) ? made : [made]) as [{ output: { code?: string }[] }];
  return output[0]!.code!;
}

let ownClient: Promise<string> | undefined;
let reactPage: Promise<string> | undefined;

/** The page of a custom step, which shows its address and has a button for each message. */
const stepPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Step</title></head>
<body>
<p id="query"></p>
<button id="next">Onward</button> <button id="back">Return</button> <button id="tell">Tell</button>
<script>
const send = (message) => parent.postMessage(message, '*');
document.getElementById('query').textContent = location.search;
document.getElementById('next').onclick = () => send({ type: 'DROMO_NEXT' });
document.getElementById('back').onclick = () => send({ type: 'DROMO_BACK' });
document.getElementById('tell').onclick = () => send({ type: 'DROMO_MESSAGE', payload: { plan: 'large' } });
try { parent.document.title; document.body.append('reached the importer'); } catch {}
</script>
</body>
</html>`;

/** A web page of an organization, on an origin of its own, which embeds the importer of a server. */
export class HostPage {
  readonly #server: Server;
  readonly #widget: string;

  private constructor(server: Server, widget: string) {
    this.#server = server;
    this.#widget = widget;
  }

  /** `widget` is the address of the server whose importer the page embeds. */
  static async start(widget: string): Promise<HostPage> {
    const scripts: Record<string, string | Buffer> = { '/client.js': client, '/own.js': await (ownClient ??= buildOwnClient()), '/react.js': await (reactPage ??= buildReactPage()) };
    const server = createServer((request, response) => {
      const script = scripts[request.url ?? ''];
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
      response.end(script ?? (request.url?.startsWith('/step') ? stepPage : page(widget)));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return new HostPage(server, widget);
  }

  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get widget(): string {
    return this.#widget;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function page(widget: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Product</title></head>
<body>
<h1>Product</h1>
<button id="open">Import contacts</button>
<div id="place"></div>
<script>window.DROMO_WIDGET_OVERRIDE = '${widget}/widget/';</script>
<script src="/client.js"></script>
<script src="/own.js"></script>
<script src="/react.js"></script>
</body>
</html>`;
}
