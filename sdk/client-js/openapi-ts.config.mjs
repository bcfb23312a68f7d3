// How hey-api generates src/generated: make clients
export default {
  input: 'openapi.json',
  output: { path: 'src/generated', module: { extension: '.js' } },
  plugins: [
    '@hey-api/typescript',
    { name: '@hey-api/client-fetch', throwOnError: true, baseUrl: false },
    { name: '@hey-api/sdk', operations: { strategy: 'single', containerName: 'Api' } },
  ],
};
