import { messageOf, type Verdict } from '../api';
import { Button, Icon } from '../kit';
import type { OpenDialog } from './dialogs/props';
import { actionsOf, filterOf, problemName, fieldName, type Group, type GroupAction } from './problem-groups';
import type { EditSpec } from './selection-scope';
import type { Model } from './model';
import { messageText } from '../i18n/messages';
import { useValues, ValueList } from './problem-values';

interface Props {
  readonly model: Model;
  readonly group: Group;
  readonly open: boolean;
  /** Whether the table shows exactly these rows. */
  readonly shown: boolean;
  readonly onToggle: () => void;
  readonly onOpen: (open: OpenDialog) => void;
}

/** One kind of problem in one field. Shows the number of rows, and ways to fix them. */
export function GroupItem({ model, group, open, shown, onToggle, onOpen }: Props) {
  const { t, host, places } = model;
  return (
    <li class={`c-group${open ? ' is-open' : ''}${shown ? ' is-shown' : ''}`}>
      <button type="button" class="c-group-head" aria-expanded={open} aria-pressed={shown} title={t('group.show', { n: group.rows })} onClick={onToggle}>
        <Icon name={group.level} label={t(`level.${group.level}`)} size={14} />
        <span class="c-group-name">
          <bdi class="c-group-owner">{fieldName(group, places, t)}</bdi> <span class="c-quiet">· <bdi>{problemName(group, t)}</bdi></span>
        </span>
        <span class="c-count">{host.locale.number(group.rows)}</span>
      </button>
      {open && <GroupBody model={model} group={group} onOpen={onOpen} />}
    </li>
  );
}

function GroupBody({ model, group, onOpen }: Pick<Props, 'model' | 'group' | 'onOpen'>) {
  const { t } = model;
  const place = model.places.find((one) => one.key === group.key);
  const fixable = place && !place.column.readOnly;
  const listed = useValues(model, group, place !== undefined);
  const texts = listed.found?.values.map((value) => value.text) ?? [];
  const actions = actionsOf(group, place, texts, model.places.some((one) => one.key === group.key && one.part > 0))
    .filter((action) => !model.host.forbids?.removing || (action !== 'delete' && action !== 'keepFirst'));
  return (
    <div class="c-group-body">
      <p class="c-group-message"><bdi>{messageText(t, messageOf(group))}</bdi></p>
      {place && <ValueList model={model} group={group} place={place} listed={listed} />}
      <div class="c-group-actions">
        {actions.filter((action) => action !== 'delete').map((action) => (
          <Button key={action} small look="quiet" onClick={() => act(model, group, action, onOpen)}>{t(`group.${action}`, { n: group.rows })}</Button>
        ))}
        {fixable && <Button small look="quiet" onClick={() => onOpen({ kind: 'fixer', key: group.key })}>{t('group.values')}</Button>}
        {actions.includes('delete') && <Button small look="quiet" icon="remove" class="c-delete" onClick={() => act(model, group, 'delete', onOpen)}>{t('group.delete', { n: group.rows })}</Button>}
      </div>
    </div>
  );
}

function act(model: Model, group: Group, action: GroupAction, onOpen: Props['onOpen']): void {
  const where = filterOf(group);
  if (action === 'keepFirst' || (action === 'delete' && group.rows > 1)) return onOpen({ kind: 'delete', where, rows: group.rows, keepFirst: action === 'keepFirst' });
  if (action === 'delete') return model.deleteRows({ kind: action, where });
  const edit: EditSpec = { kind: action, where, ...((action === 'clear' || action === 'trim') && { keys: [group.key] }) };
  model.applyEdit(edit, (verdict) => outcomeText(model, action, verdict));
}

function outcomeText({ t }: Model, action: string, verdict: Verdict): string {
  if (action === 'accept') return t('accepted', { n: verdict.rows });
  return verdict.cells === 0 ? t('nothingChanged') : t('changedCells', { n: verdict.cells });
}
