import { useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import { Fault, type Question } from '../../api';
import { useShared } from '../context';
import { useDigits } from './digit-keys';
import { applyChoice, currentAnswer, firstUnanswered, type Drafts } from './drafts';

interface Options {
  readonly asked: readonly Question[];
  /** Sends the answers. discard confirms that changes to cells are lost. */
  readonly send: (drafts: Drafts, discard: boolean) => Promise<void>;
  /** Returns the number of changes to cells that sending would discard without a warning from the server; 0 if it warns. */
  readonly discards: (drafts: Drafts) => number;
}

/** The answers that a person is giving in a step, until they are sent. */
export interface Answering {
  readonly drafts: Drafts;
  /** Number of questions without an answer. */
  readonly open: number;
  readonly sending: boolean;
  readonly fault: Fault | null;
  /** While the person is asked to confirm, the number of cell changes that would be discarded; otherwise 0. */
  readonly dropped: number;
  /** The button that sends the answers. It gets the focus when all questions are answered. */
  readonly onward: RefObject<HTMLButtonElement | null>;
  choose(question: Question, value: string): void;
  setDrafts(drafts: Drafts): void;
  /** Removes the fault of the last attempt. */
  clearFault(): void;
  /** Sends the answers, or asks for a confirmation first. */
  send(): void;
  confirm(): void;
  cancel(): void;
}

/** Collects the answers of a step and sends them. */
export function useAnswering({ asked, send, discards }: Options): Answering {
  const { review } = useShared();
  const [drafts, setDrafts] = useState<Drafts>({});
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [dropped, setDropped] = useState(0);
  const onward = useRef<HTMLButtonElement>(null);
  useDigits(() => (firstUnanswered(asked, drafts) ?? asked.at(-1))?.id ?? null);
  const change = (next: Drafts) => {
    setDrafts(next);
    setFault(null);
  };
  const run = async (discard: boolean) => {
    setDropped(0);
    setSending(true);
    setFault(null);
    try {
      await send(drafts, discard);
      setDrafts({});
    } catch (error) {
      if (error instanceof Fault && error.code === 'discards_changes') setDropped(error.changes);
      else if (error instanceof Fault && error.endsReview) review.fail(error);
      else setFault(error instanceof Fault ? error : new Fault('lost'));
    }
    setSending(false);
  };
  return {
    drafts, sending, fault, dropped, onward,
    open: asked.filter((one) => currentAnswer(one, drafts) === null).length,
    choose: (question, value) => {
      const next = applyChoice(question, drafts, value);
      change(next);
      // Reveal the next question, because many users answer one after another.
      if (!question.manyColumns && currentAnswer(question, drafts) === null) reveal(firstUnanswered(asked, next), onward.current);
    },
    setDrafts: change,
    clearFault: () => setFault(null),
    send: () => (discards(drafts) > 0 ? setDropped(discards(drafts)) : void run(false)),
    confirm: () => void run(true),
    cancel: () => setDropped(0),
  };
}

/**
 * Scrolls to the next open question and focuses its first choice. If no question is open,
 * focuses the button to continue.
 */
function reveal(question: Question | null, onward: HTMLButtonElement | null): void {
  requestAnimationFrame(() => {
    const cards = [...document.querySelectorAll<HTMLElement>('[data-question]')];
    const card = cards.find((one) => one.dataset.question === question?.id);
    const target = card?.querySelector<HTMLElement>('input') ?? onward;
    card?.scrollIntoView({ block: 'nearest' });
    target?.focus({ preventScroll: card !== undefined });
  });
}
