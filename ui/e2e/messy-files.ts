/** An invalid cell of an example, and its fix. */
export interface Fix {
  /** Label of the field. */
  readonly field: string;
  readonly wrong: string;
  readonly right: string;
  /** Whether the value is a duplicate. If so, one of the two cells gets a different value. */
  readonly twice?: boolean;
  /** Label of the choice, if the fix is chosen from a list. */
  readonly choice?: string;
}

/** An example file with all its problems. */
export interface Messy {
  readonly name: string;
  readonly file: string;
  readonly rows: number;
  readonly fixes: readonly Fix[];
  /** Some values of the result, each with its row of the file, counted from 1. */
  readonly result: readonly (readonly [number, string, unknown])[];
}

export const messy: readonly Messy[] = [
  {
    name: 'bank', file: 'bank.csv', rows: 240,
    fixes: [
      { field: 'Booking date', wrong: '31.02.2026', right: '28.02.2026' },
      { field: 'Amount', wrong: '1.25O,00-', right: '1.250,00-' },
      { field: 'Reference', wrong: 'KR-26024523', twice: true, right: 'KR-26924523' },
      { field: 'Counterparty IBAN', wrong: 'DE12 3456', right: 'DE02120300000000202051' },
      { field: 'Status', wrong: 'in Klärung', right: 'pending', choice: 'Pending' },
      { field: 'Currency', wrong: 'EURO', right: 'EUR' },
      { field: 'Amount', wrong: '', right: '12,50' },
      { field: 'Value date', wrong: '45.01.2026', right: '25.01.2026' },
    ],
    result: [[12, 'booking_date', '2026-02-28'], [38, 'amount', -1250], [122, 'status', 'pending'], [172, 'amount', 12.5], [204, 'value_date', '2026-01-25']],
  },
  {
    name: 'crm', file: 'crm.csv', rows: 180,
    fixes: [
      { field: 'E-mail address', wrong: 'marcus.whitlock.example.com', right: 'marcus.whitlock@example.com' },
      { field: 'Contact ID', wrong: 'C-10445', twice: true, right: 'C-99445' },
      { field: 'Created at', wrong: '2/30/2026 9:10 AM', right: '2/28/2026 9:10 AM' },
      { field: 'Status', wrong: 'Archived?', right: 'inactive', choice: 'Inactive' },
      { field: 'Country', wrong: 'Europe', right: 'FR', choice: 'France' },
      { field: 'Telephone', wrong: '555-0142', right: '(206) 555-0142' },
      { field: 'Telephone', wrong: 'ask Dana', right: '(206) 555-0143' },
      { field: 'Family name', wrong: '', right: 'Unknown' },
      { field: 'Homepage', wrong: 'www.example.com', right: 'https://www.example.com' },
    ],
    result: [[7, 'email', 'marcus.whitlock@example.com'], [41, 'created_at', '2026-02-28T09:10'], [59, 'status', 'inactive'], [78, 'country', 'FR'], [111, 'last_name', 'Unknown']],
  },
  {
    name: 'members', file: 'members.csv', rows: 150,
    fixes: [
      { field: 'E-mail', wrong: 'sato.misaki＠mail.example', right: 'sato.misaki@mail.example' },
      { field: 'Member since', wrong: '2021年2月30日', right: '2021年2月28日' },
      { field: 'Member number', wrong: '000150', twice: true, right: '900150' },
      { field: 'Membership type', wrong: '退会？', right: 'regular', choice: 'Regular' },
      { field: 'Postal code', wrong: '〒12-345', right: '〒156-0054' },
      { field: 'Annual fee', wrong: '未定', right: '6,000' },
      { field: 'Phone', wrong: '03-12', right: '03-3212-0000' },
      { field: 'Full name', wrong: '', right: '佐藤　花子' },
    ],
    result: [[10, 'email', 'sato.misaki@mail.example'], [25, 'joined_on', '2021-02-28'], [56, 'membership', 'regular'], [89, 'annual_fee', 6000], [127, 'full_name', '佐藤　花子']],
  },
  {
    name: 'products', file: 'products.csv', rows: 160,
    fixes: [
      { field: 'SKU', wrong: 'Co-0004', twice: true, right: 'Co-9004' },
      { field: 'Unit price', wrong: 'sur demande', right: '19,80 €' },
      { field: 'Created on', wrong: '31/02/2026', right: '28/02/2026' },
      { field: 'Barcode', wrong: '4601234567', right: '0004601234567' },
      { field: 'Barcode', wrong: '0007300031079', twice: true, right: '0007300031078' },
      { field: 'Status', wrong: 'à vérifier', right: 'inactive', choice: 'Inactive' },
      { field: 'Product URL', wrong: 'voir catalogue p. 12', right: 'https://www.maison-fontbrune.example/catalogue' },
      { field: 'Stock', wrong: 'env. 20', right: '20' },
      { field: 'Product name', wrong: '', right: 'Sirop de menthe, 250 g' },
    ],
    result: [[9, 'unit_price', 19.8], [34, 'created_on', '2026-02-28'], [63, 'status', 'inactive'], [99, 'stock', 20], [142, 'product_name', 'Sirop de menthe, 250 g']],
  },
  {
    name: 'stores', file: 'stores.xlsx', rows: 120,
    fixes: [
      { field: 'Opening date', wrong: 'Feb 30, 2019', right: 'Feb 28, 2019' },
      { field: 'Store number', wrong: 'S-1061', twice: true, right: 'S-9061' },
      { field: "Manager's e-mail", wrong: 'store.0031@@pineanchor.example', right: 'store.0031@pineanchor.example' },
      { field: 'Status', wrong: 'Renovating', right: 'closed', choice: 'Closed' },
      { field: 'ZIP code', wrong: 'K1A 0B1', right: '98101' },
      { field: 'Margin', wrong: '#DIV/0!', right: '0' },
      { field: 'State or territory', wrong: 'ZZ', right: 'WA', choice: 'Washington' },
      { field: 'Annual revenue', wrong: 'tbd', right: '0' },
    ],
    result: [[8, 'opened_on', '2019-02-28'], [49, 'status', 'closed'], [60, 'zip_code', '98101'], [84, 'state', 'WA']],
  },
];
