// What generated functions of orval call: it adds the address of the server and the key.
export const fetcher = async <T>(url: string, init?: RequestInit): Promise<T> => {
  const headers = { ...init?.headers, 'X-Service-License-Key': process.env.INTRAY_KEY! };
  const response = await fetch(process.env.INTRAY_URL + url, { ...init, headers });
  return { data: await response.json(), status: response.status, headers: response.headers } as T;
};
