import { render } from 'preact';
import type { Locale } from '../i18n/types';
import { chooseLocale } from '../i18n/locale';
import { loadMessages } from '../i18n/messages';
import { loadTexts } from '../i18n/texts';
import { consumeUrlToken, Prefetch } from './prefetch';
import { App } from './app';
import { reviewTexts } from '../i18n/review-texts';
import { cells, preloadCells } from './cells-step';
import { otherSteps } from './steps-view';
import { SharedProvider, type Key } from './context';
import type { ReviewHost } from './host';
import { applyTheme } from './apply-theme';
import { Review } from './review';

/**
 * How long to wait for the complete first content before showing a loading message, in
 * milliseconds.
 */
const openingDelay = 300;
/**
 * Requests for content that is not visible initially wait for the first rows, but no longer than
 * this, in milliseconds.
 */
const maxWait = 2000;

/**
 * Renders the review page. The first requests have already been sent. Returns a function that
 * removes the page.
 */
export function renderReview(prefetch: Prefetch, host: ReviewHost | null = null): () => void {
  const locale = chooseLocale(host?.language ?? new URLSearchParams(location.search).get('lang'), navigator.languages);
  document.documentElement.lang = locale.tag;
  applyTheme(undefined);

  const drawn = signal();
  const review = new Review(prefetch.id, prefetch.fetch, () => Promise.race([drawn.reached, after(maxWait)]), host ?? {});
  const { onState } = host ?? {};
  if (onState) review.subscribe(() => onState(review.state));
  // The user may have opened a different link in this tab in the meantime, which sets a new
  // token.
  void review.open(consumeUrlToken() || prefetch.token);
  void cells.load().catch(() => {});
  const removal = new AbortController();
  const { signal: removed } = removal;
  addEventListener('hashchange', () => {
    const token = consumeUrlToken();
    if (token) void review.open(token);
  }, { signal: removed });
  // React to going online or offline immediately instead of waiting for a call to fail.
  for (const event of ['online', 'offline']) addEventListener(event, () => void review.refresh(), { signal: removed });

  const whole = firstContent(review, locale);
  void Promise.all([loadTexts<Key>(locale, reviewTexts), styles(), Promise.race([whole, after(openingDelay)])]).then(([t]) => {
    if (removed.aborted) return;
    const root = document.getElementById('app')!;
    root.replaceChildren();
    const draw = () => removed.aborted || render(<SharedProvider value={{ review, locale, t, host }}><App /></SharedProvider>, root);
    draw();
    locale.onMessages = draw;
    if (!locale.renderMessage) void drawn.reached.then(() => loadMessages(locale, 'cells', 'files')).then(draw).catch(() => {});
    void whole.then(() => requestAnimationFrame(() => setTimeout(drawn.reach)));
  });
  return () => {
    removal.abort();
    review.close();
    render(null, document.getElementById('app')!);
  };
}

/**
 * Renders the review page as a part of another page. `send` sends its calls. Returns a function that
 * removes it.
 */
export function openReview(id: string, token: string, host: ReviewHost, send?: typeof fetch): () => void {
  const prefetch = new Prefetch(id, token, send);
  void prefetch.start();
  return renderReview(prefetch, host);
}

/** Resolves when every request of the first render has succeeded or failed. */
async function firstContent(review: Review, locale: Locale): Promise<void> {
  await new Promise<void>((done) => {
    const leave = review.subscribe(() => {
      if (review.state.phase === 'opening') return;
      leave();
      done();
    });
  });
  if (review.state.steps.length === 0) return;
  if (review.state.step === 'cells') await preloadCells({ api: review.api, events: review.events, locale }).catch(() => {});
  else await Promise.all([otherSteps.load(), (review.state.step !== 'values' || locale.language !== 'en') && loadMessages(locale, 'cells', 'files')]).catch(() => {});
}

/** Resolves when the styles are loaded, because rendering measures elements. */
function styles(): Promise<unknown> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter((link) => !link.sheet);
  return Promise.all(links.map((link) => new Promise((done) => {
    for (const event of ['load', 'error']) link.addEventListener(event, done, { once: true });
  })));
}

function after(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

function signal(): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = () => {};
  const reached = new Promise<void>((done) => (reach = done));
  return { reached, reach };
}
