import { useEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../kit';
import type { OpenDialog } from './dialogs/props';
import { useKeptFocus } from './focus';
import { GroupItem } from './problem-group';
import { allRows } from './filter';
import { filterOf, groupId, isShown, problemsIn, type Group } from './problem-groups';
import type { Model } from './model';
import { useStore } from './store';

interface Props {
  readonly model: Model;
  /** Whether the panel covers the lower part of the table. */
  readonly sheet: boolean;
  readonly onClose: () => void;
  readonly onOpen: (open: OpenDialog) => void;
}

/** Lists the problems by field and rule, with the quickest way to fix each. */
export function ProblemPanel({ model, sheet, onClose, onOpen }: Props) {
  const { t } = model;
  const groups = useStore(model.store, (now) => now.counts);
  const wanted = useStore(model.store, (now) => now.wanted);
  const [opened, setOpened] = useState<string | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const panel = useRef<HTMLElement>(null);
  useKeptFocus(panel, () => title.current?.focus());
  useEffect(() => void (sheet && title.current?.focus()), [sheet]);
  const calm = useStore(model.store, ({ counted, totals }) => counted && totals.errors === 0 && totals.rows > 0);
  // The group in view is open. Without one, the first group is open until the user opens a
  // different one, unless it contains only warnings or notes.
  const known = [groups.find((group) => isShown(group, wanted)), groups.find((group) => groupId(group) === opened), calm ? undefined : groups[0]].find(Boolean);
  const open = opened === '' || !known ? '' : groupId(known);

  const toggle = (group: Group) => {
    // A click on a group that the page has just shown by itself must not close it.
    const closes = opened === groupId(group) && isShown(group, wanted);
    setOpened(closes ? '' : groupId(group));
    void model.filterBy(closes ? allRows : filterOf(group)).then(() => closes || model.activate(group.key));
  };
  return (
    <aside ref={panel} class={`c-panel${sheet ? ' is-sheet' : ''}`} aria-labelledby="cells-problems" onKeyDown={(event) => sheet && event.key === 'Escape' && onClose()}>
      <header class="c-panel-head">
        <h2 id="cells-problems" ref={title} tabIndex={-1}><Summary model={model} groups={groups} /></h2>
        {sheet && <IconButton icon="close" small label={t('close')} onClick={onClose} />}
      </header>
      {groups.length === 0 ? <Counting model={model} /> : (
        <ul class="c-groups">
          {groups.map((group) => (
            <GroupItem key={groupId(group)} model={model} group={group} open={open === groupId(group)} shown={isShown(group, wanted)} onToggle={() => toggle(group)} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </aside>
  );
}

function Summary({ model: { t, store }, groups }: { model: Model; groups: readonly Group[] }) {
  const totals = useStore(store, (now) => now.totals);
  if (totals.errors === 0) return <>{totals.rows > 0 ? t('panel.noErrors') : t('noRows')}</>;
  const problems = problemsIn(groups);
  if (problems === 0) return <>{t('panel.errorRows', { n: totals.errors })}</>;
  return <>{t('panel.title', { n: problems, rows: t('rows', { n: totals.errors }) })}</>;
}

/** Shown while problems have not been counted yet. */
function Counting({ model }: { model: Model }) {
  const counting = useStore(model.store, ({ counted, totals }) => !counted && totals.errors + totals.warnings + totals.infos > 0);
  return counting ? <div class="c-values is-loading" aria-busy="true" /> : null;
}
