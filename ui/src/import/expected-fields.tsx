import { useState } from 'preact/hooks';
import { Button, Icon } from '../kit';
import type { OpenedPage } from './endpoint';
import type { LinkField } from './api';
import { useShared, type Key } from './context';
import { csvTemplate, saveFile } from './template';

/** Number of fields that are listed at first. */
const atFirst = 12;

/** Number of values of a field that are listed. */
const maxValues = 8;

const types: Readonly<Record<string, Key>> = {
  string: 'type.string', number: 'type.number', date: 'type.date', datetime: 'type.datetime', time: 'type.time', checkbox: 'type.checkbox',
  select: 'type.select', 'multi-select': 'type.multiSelect', email: 'type.email', 'phone-number': 'type.phone', url: 'type.url', domain: 'type.domain',
  'us-zip-code': 'type.zip', 'us-state-territory': 'type.state', ssn: 'type.ssn', country: 'type.country', uuid: 'type.uuid',
};

/** Lists the fields that the file should contain. */
export function ExpectedFields({ page: { fields, templateUrl, templateName = 'template' } }: { page: OpenedPage }) {
  const { t, locale, visit } = useShared();
  const [all, setAll] = useState(false);
  const [busy, setBusy] = useState(false);
  const headers = fields.map((field) => inLanguage(locale.tag, field.labels, field.label));
  const [failed, setFailed] = useState(false);
  const saveWorkbook = async () => {
    setBusy(true);
    const file = await visit.template(locale.tag).catch(() => null);
    if (file) saveFile(file, `${templateName}.xlsx`);
    setFailed(file === null);
    setBusy(false);
  };
  if (fields.length === 0) return null;
  const shown = all ? fields : fields.slice(0, atFirst);
  return (
    <section class="import-part">
      <div class="import-part-head">
        <h2>{t('fields.title')}</h2>
        {templateUrl ? (
          <a class="k-button k-plain k-small" href={templateUrl} target="_blank" rel="noopener noreferrer" data-event="DOWNLOAD_TEMPLATE"><Icon name="download" /> {t('template.excel')}</a>
        ) : <div class="templates">
          <Button small icon="download" event="DOWNLOAD_TEMPLATE" busy={busy} onClick={() => void saveWorkbook()}>{t('template.excel')}</Button>
          <Button small icon="download" event="DOWNLOAD_TEMPLATE" onClick={() => saveFile(csvTemplate(headers), `${templateName}.csv`)}>{t('template.csv')}</Button>
        </div>}
      </div>
      {failed && <p role="alert">{t('template.failed')}</p>}
      <div class="fields" role="table" aria-label={t('fields.title')}>
        <div role="row" class="fields-row fields-head">
          <span role="columnheader">{t('fields.name')}</span>
          <span role="columnheader">{t('fields.content')}</span>
          <span role="columnheader">{t('fields.example')}</span>
        </div>
        {shown.map((field) => <FieldRow key={field.key} field={field} />)}
      </div>
      {fields.some((one) => one.required) && <p class="quiet fields-note"><span class="mark" aria-hidden="true">•</span> {t('fields.required')}</p>}
      {!all && fields.length > atFirst && <Button small onClick={() => setAll(true)}>{t('fields.more', { n: fields.length - atFirst })}</Button>}
    </section>
  );
}

function FieldRow({ field }: { field: LinkField }) {
  const { t, locale } = useShared();
  const description = inLanguage(locale.tag, field.descriptions, field.description);
  const options = field.options ?? [];
  const values = enumerate(locale.tag, options.slice(0, maxValues).map((one) => locale.isolate(one.label)));
  const type = types[field.type];
  return (
    <div role="row" class="fields-row">
      <span role="cell" class="fields-name">
        <bdi>{inLanguage(locale.tag, field.labels, field.label)}</bdi>
        {field.required && <> <span class="mark" aria-hidden="true">•</span><span class="k-unseen">{t('fields.isRequired')}</span></>}
      </span>
      <span role="cell">
        {description && <span class="fields-about"><bdi>{description}</bdi></span>}
        <span class="quiet">
          {enumerate(locale.tag, [type ? t(type) : '', field.unique ? t('fields.unique') : ''].filter(Boolean))}
          {values && <>{': '}{values}{options.length > maxValues && t('fields.moreValues', { n: options.length - maxValues })}</>}
        </span>
      </span>
      <span role="cell" class="fields-example">{field.example && <code><bdi>{field.example}</bdi></code>}</span>
    </div>
  );
}

/** Joins texts with the separator of the language, without a word before the last one. */
function enumerate(tag: string, texts: readonly string[]): string {
  return new Intl.ListFormat(tag, { type: 'unit', style: 'short' }).format(texts);
}

/** Returns the text in the language of the page, or the given text if there is none. */
export function inLanguage(tag: string, texts: Readonly<Record<string, string>>, otherwise: string): string {
  const wanted = tag.toLowerCase();
  const find = (match: (key: string) => boolean) => Object.entries(texts).find(([key]) => match(key.toLowerCase().replaceAll('_', '-')))?.[1];
  return find((key) => key === wanted) ?? find((key) => key === wanted.split('-')[0]) ?? find((key) => key.split('-')[0] === wanted.split('-')[0]) ?? otherwise;
}
