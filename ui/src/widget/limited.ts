/** How long functions of the page may take, in milliseconds. */
const timeout = 60_000;

/** Returns the result of a function of the page. Rejects if it takes too long; `what` names it. */
export function limited<T>(work: Promise<T>, what: string): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`${what} took more than ${timeout / 1000} seconds.`)), timeout);
    work.then(done, fail).finally(() => clearTimeout(timer));
  });
}
