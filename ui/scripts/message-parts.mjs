/** Areas of messages for developers and operators, which no page shows. An area is the part of a code before the period. */
const developers = [
  'connector', 'date_format', 'egress', 'hook_source', 'host_key', 'hostname', 'license_key', 'lint', 'number_format',
  'private_key', 'property', 'regexp', 'schedule', 'schema', 'sftp', 'sftp_credential', 'webhook',
];

/** Areas of the messages of each part of a catalogue that a page loads. All other areas are in the part "others". */
const areas = {
  /** Cells and rows. */
  cells: [
    'alphabetical', 'cell', 'checkbox', 'count', 'country', 'date', 'datetime', 'domain', 'duration', 'email', 'length', 'level', 'limit', 'list',
    'missing', 'number', 'option', 'percent', 'phone', 'regex', 'required', 'row', 'select', 'size', 'suggestion', 'text', 'time', 'unique', 'url',
    'us_ssn', 'us_state', 'us_zip', 'uuid', 'value_mapping', 'values',
  ],
  /** How a file is read, which columns are imported, and links. */
  files: [
    'column', 'column_starts', 'csv', 'delimiter', 'encoding', 'field_name', 'file', 'header', 'import_link', 'language', 'link', 'mapping', 'question',
    'quote', 'review', 'sheet',
  ],
  /** Files of certain formats. */
  formats: ['archive', 'html', 'json', 'json_file', 'json_type', 'opendocument', 'output', 'parquet', 'workbook', 'xls', 'xlsb', 'xlsx', 'xml', 'xmlss'],
};

/** The areas that are named above. */
export const listedAreas = [...developers, ...Object.values(areas).flat()];

/**
 * Returns the part of the catalogues with the messages of a code, or null if no page shows them.
 * @param {string} code
 */
export function partOf(code) {
  const area = code.split('.', 1)[0];
  if (developers.includes(area)) return null;
  return Object.keys(areas).find((part) => areas[part].includes(area)) ?? 'others';
}

/**
 * A plugin of Vite that splits the catalogues: messages/de.json?part=cells has the messages of one part.
 * @type {import('vite').Plugin}
 */
export const messageParts = {
  name: 'message-parts',
  enforce: 'pre',
  transform(code, id) {
    const part = /\/messages\/\w+\.json\?part=(\w+)$/.exec(id)?.[1];
    if (!part) return null;
    const own = Object.entries(JSON.parse(code)).filter(([key]) => partOf(key) === part);
    return { code: `export default ${JSON.stringify(Object.fromEntries(own))}`, moduleType: 'js', map: null };
  },
};
