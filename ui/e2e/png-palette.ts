import { deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/**
 * The same picture with at most 256 colours, a third as large: PNG (ISO/IEC 15948)
 * with 8 bits a channel and no interlace, as browsers write it.
 */
export function paletted(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const head = chunks.find(([kind]) => kind === 'IHDR')![1];
  const [width, height, channels] = [head.readUInt32BE(0), head.readUInt32BE(4), head[9] === 6 ? 4 : 3];
  const packed = Buffer.concat(chunks.filter(([kind]) => kind === 'IDAT').map(([, bytes]) => bytes));
  const pixels = unfiltered(inflateSync(packed), width, height, channels);
  const colours = frequent(pixels, channels);
  const rows = indexed(pixels, width, height, channels, colours);
  const palette = Buffer.from(colours.flatMap((colour) => [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255]));
  const newHead = Buffer.from(head);
  newHead[8] = 8;
  newHead[9] = 3;
  return Buffer.concat([signature, chunk('IHDR', newHead), chunk('PLTE', palette), chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

function chunksOf(png: Buffer): [string, Buffer][] {
  const found: [string, Buffer][] = [];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    found.push([png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]);
    at += 12 + length;
  }
  return found;
}

/** Each line is stored as the difference to its left or upper neighbours. */
function unfiltered(lines: Buffer, width: number, height: number, channels: number): Uint8Array {
  const stride = width * channels;
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (stride + 1)]!;
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : out[y * stride + x - channels]!;
      const up = y === 0 ? 0 : out[(y - 1) * stride + x]!;
      const corner = x < channels || y === 0 ? 0 : out[(y - 1) * stride + x - channels]!;
      out[y * stride + x] = lines[y * (stride + 1) + 1 + x]! + predicted(filter, left, up, corner);
    }
  }
  return out;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 0: return 0;
    case 1: return left;
    case 2: return up;
    case 3: return (left + up) >> 1;
    default: return paeth(left, up, corner);
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/**
 * The colours that most pixels have, of a page that is flat colour and grey edges
 * of letters; first the most frequent one of each part of the colour space, so
 * that a small green sign stays green.
 */
function frequent(pixels: Uint8Array, channels: number): number[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = colourAt(pixels, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const parts = new Map<number, number>();
  for (const colour of sorted) if (!parts.has(colour & 0xe0e0e0)) parts.set(colour & 0xe0e0e0, colour);
  return [...new Set([...parts.values(), ...sorted])].slice(0, 256);
}

function colourAt(pixels: Uint8Array, at: number): number {
  return (pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!;
}

function indexed(pixels: Uint8Array, width: number, height: number, channels: number, colours: readonly number[]): Buffer {
  const places = new Map(colours.map((colour, place) => [colour, place]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = colourAt(pixels, (y * width + x) * channels);
      let place = places.get(colour);
      if (place === undefined) places.set(colour, (place = nearest(colour, colours)));
      rows[y * (width + 1) + 1 + x] = place;
    }
  }
  return rows;
}

function nearest(colour: number, colours: readonly number[]): number {
  let best = 0;
  let least = Infinity;
  for (const [place, one] of colours.entries()) {
    const [r, g, b] = [((one >> 16) & 255) - ((colour >> 16) & 255), ((one >> 8) & 255) - ((colour >> 8) & 255), (one & 255) - (colour & 255)];
    const far = r * r + g * g + b * b;
    if (far < least) [best, least] = [place, far];
  }
  return best;
}

function chunk(kind: string, bytes: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), bytes]);
  const out = Buffer.alloc(bytes.length + 12);
  out.writeUInt32BE(bytes.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(checksum(named), bytes.length + 8);
  return out;
}

function checksum(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
