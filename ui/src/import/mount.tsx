import { render } from 'preact';
import { importTexts } from '../i18n/import-texts';
import { chooseLocale } from '../i18n/locale';
import { loadTexts } from '../i18n/texts';
import type { ReviewHost } from '../app/host';
import { ImportPage } from './import-page';
import { SharedProvider, type Key } from './context';
import { ReviewStage } from './review-stage';
import type { Visit } from './visit';

/** What the page around an import adds to it. */
export interface Surroundings {
  /** Language tag; null for the languages of the browser. */
  readonly language: string | null;
  /** What the review page needs in addition. */
  readonly host?: Partial<ReviewHost>;
  /** Sends the calls of the review page. */
  readonly send?: typeof fetch;
}

/** Shows a visit in the page. Returns a function that removes it. */
export function mountVisit(root: HTMLElement, visit: Visit, { language, host, send }: Surroundings): () => void {
  const locale = chooseLocale(language, navigator.languages);
  document.documentElement.lang = locale.tag;
  document.documentElement.dir = locale.direction;
  let removed = false;
  let remove = () => {};
  void Promise.all([loadTexts<Key>(locale, importTexts), opened(visit)]).then(([t]) => {
    if (removed) return;
    const stage = new ReviewStage(root, visit, { ...host, language }, send);
    const draw = () => {
      // The review page takes over the whole element.
      if (stage.follow(visit.state)) return;
      render(<SharedProvider value={{ visit, locale, t }}><ImportPage /></SharedProvider>, root);
    };
    root.replaceChildren();
    draw();
    locale.onMessages = draw;
    let phase = visit.state.phase;
    const leave = visit.subscribe(() => {
      if (visit.state.phase === phase) return;
      phase = visit.state.phase;
      draw();
    });
    remove = () => {
      leave();
      stage.close();
      render(null, root);
    };
  });
  return () => {
    removed = true;
    remove();
  };
}

/** Resolves when the visit shows something. */
function opened(visit: Visit): Promise<void> {
  return new Promise((done) => {
    if (visit.state.phase !== 'opening') return done();
    const leave = visit.subscribe(() => {
      if (visit.state.phase === 'opening') return;
      leave();
      done();
    });
  });
}
