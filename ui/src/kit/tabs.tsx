import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { targetOf } from './menu';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ComponentChildren;
}

interface Props<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly active: Id;
  readonly onChange: (id: Id) => void;
  /** ID of the element that the tabs change. */
  readonly controls: string;
}

/** Tabs that select one of a few views. Arrow keys move between them. */
export function Tabs<Id extends string>({ label, tabs, active, onChange, controls }: Props<Id>) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const turned = getComputedStyle(list.current!).direction === 'rtl';
    const key = { ArrowRight: turned ? 'ArrowUp' : 'ArrowDown', ArrowLeft: turned ? 'ArrowDown' : 'ArrowUp' }[event.key] ?? event.key;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') return;
    const target = targetOf(key, tabs.findIndex((tab) => tab.id === active), tabs.length);
    const tab = target === null ? undefined : tabs[target];
    if (!tab) return;
    event.preventDefault();
    onChange(tab.id);
    list.current!.querySelectorAll<HTMLElement>('[role=tab]')[target!]?.focus();
  };
  return (
    <div ref={list} class="k-tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          class="k-tab"
          aria-selected={tab.id === active}
          aria-controls={controls}
          tabIndex={tab.id === active ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
