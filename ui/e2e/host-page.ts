import { createServer, type Server } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';

/** The published client for embedding importers, as a script for web pages. */
const client = readFileSync('node_modules/dromo-uploader-js/dist/DromoUploader.js');

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
    const server = createServer((request, response) => {
      const script = request.url === '/client.js';
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
      response.end(script ? client : page(widget));
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
</body>
</html>`;
}
