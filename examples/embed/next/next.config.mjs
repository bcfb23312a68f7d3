const server = process.env.INTRAY_SERVER ?? 'http://localhost:8080';

/** @type {import('next').NextConfig} */
export default {
  // The page allows frames of the Intray server only.
  headers: async () => [{ source: '/:path*', headers: [{ key: 'Content-Security-Policy', value: `frame-src ${server}` }] }],
};
