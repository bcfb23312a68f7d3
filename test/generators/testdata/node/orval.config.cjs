module.exports = { intray: { input: './openapi.json', output: { target: './orval/client.ts', client: 'fetch', override: { mutator: { path: './fetcher.ts', name: 'fetcher' } } } } };
