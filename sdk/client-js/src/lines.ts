/** Returns the lines of a text in UTF-8, without their line breaks and without empty lines. */
export async function* lines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    for (const part of parts) if (part) yield part;
  }
  if (rest) yield rest;
}
