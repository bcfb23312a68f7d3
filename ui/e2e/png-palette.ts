import { deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/**
 * Reduces a picture to at most 256 colors, which makes the file two thirds smaller. Expects
 * PNG (ISO/IEC 15948) with 8 bits per channel and no interlacing, as written by browsers.
 */
export function toPalette(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const head = chunks.find(([kind]) => kind === 'IHDR')![1];
  const [width, height, channels] = [head.readUInt32BE(0), head.readUInt32BE(4), head[9] === 6 ? 4 : 3];
  const packed = Buffer.concat(chunks.filter(([kind]) => kind === 'IDAT').map(([, bytes]) => bytes));
  const pixels = reverseFilters(inflateSync(packed), width, height, channels);
  const colors = frequentColors(pixels, channels);
  const rows = indexPixels(pixels, width, height, channels, colors);
  const palette = Buffer.from(colors.flatMap((color) => [(color >> 16) & 255, (color >> 8) & 255, color & 255]));
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

/** Reverses the line filters, which store each byte as its difference from a prediction based on neighboring pixels. */
function reverseFilters(lines: Buffer, width: number, height: number, channels: number): Uint8Array {
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
 * Returns the most frequent colors. This suits pages with flat colors and the gray edges of
 * letters. The most frequent color of each part of the color space comes first, so that a
 * small green icon stays green.
 */
function frequentColors(pixels: Uint8Array, channels: number): number[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += channels) {
    const color = colorAt(pixels, at);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([color]) => color);
  const parts = new Map<number, number>();
  for (const color of sorted) if (!parts.has(color & 0xe0e0e0)) parts.set(color & 0xe0e0e0, color);
  return [...new Set([...parts.values(), ...sorted])].slice(0, 256);
}

function colorAt(pixels: Uint8Array, at: number): number {
  return (pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!;
}

function indexPixels(pixels: Uint8Array, width: number, height: number, channels: number, colors: readonly number[]): Buffer {
  const places = new Map(colors.map((color, place) => [color, place]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const color = colorAt(pixels, (y * width + x) * channels);
      let place = places.get(color);
      if (place === undefined) places.set(color, (place = nearestColor(color, colors)));
      rows[y * (width + 1) + 1 + x] = place;
    }
  }
  return rows;
}

function nearestColor(color: number, colors: readonly number[]): number {
  let best = 0;
  let least = Infinity;
  for (const [place, one] of colors.entries()) {
    const [r, g, b] = [((one >> 16) & 255) - ((color >> 16) & 255), ((one >> 8) & 255) - ((color >> 8) & 255), (one & 255) - (color & 255)];
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
