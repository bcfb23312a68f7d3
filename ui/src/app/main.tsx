import { render } from 'preact';
import { chooseLocale, readWords, type Locale } from '../words/words';
import { takeToken, type Ahead } from './ahead';
import { App } from './app';
import { catalogues } from './catalogues';
import { loadCells, openCells } from './cells-step';
import { SharedProvider, type Key } from './context';
import { dress } from './dress';
import { Review } from './review';

/** So long the page waits to be drawn whole, in milliseconds; then it says that it is being opened. */
const patience = 300;
/** So long what nobody sees at first waits for the first rows, in milliseconds. */
const longest = 2000;

/** Shows the review; the first calls are made already. */
export function open(ahead: Ahead): void {
  const locale = chooseLocale(new URLSearchParams(location.search).get('lang'), navigator.languages);
  document.documentElement.lang = locale.tag;
  dress(undefined);

  const drawn = mark();
  const review = new Review(ahead.id, ahead.fetch, () => Promise.race([drawn.reached, after(longest)]));
  // A link that was opened meanwhile in the same page is another visit.
  void review.open(takeToken() || ahead.token);
  void loadCells().catch(() => {});
  addEventListener('hashchange', () => {
    const token = takeToken();
    if (token) void review.open(token);
  });
  // What the service cannot be told meanwhile is told at once.
  for (const event of ['online', 'offline']) addEventListener(event, () => void review.refresh());

  const whole = everything(review, locale);
  void Promise.all([readWords<Key>(locale, catalogues), styles(), Promise.race([whole, after(patience)])]).then(([t]) => {
    const root = document.getElementById('app')!;
    root.replaceChildren();
    render(<SharedProvider value={{ review, locale, t }}><App /></SharedProvider>, root);
    void whole.then(() => requestAnimationFrame(() => setTimeout(drawn.reach)));
  });
}

/** Waits for all that the first drawing shows. What keeps some of it from coming is shown as well. */
async function everything(review: Review, locale: Locale): Promise<void> {
  await new Promise<void>((done) => {
    const leave = review.subscribe(() => {
      if (review.state.phase === 'opening') return;
      leave();
      done();
    });
  });
  if (review.state.steps.length > 0 && review.state.step === 'cells') await openCells({ api: review.api, events: review.events, locale }).catch(() => {});
}

/** Sizes are measured while drawing: not before the styles are here. */
function styles(): Promise<unknown> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter((link) => !link.sheet);
  return Promise.all(links.map((link) => new Promise((done) => {
    for (const event of ['load', 'error']) link.addEventListener(event, done, { once: true });
  })));
}

function after(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

function mark(): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = () => {};
  const reached = new Promise<void>((done) => (reach = done));
  return { reached, reach };
}
