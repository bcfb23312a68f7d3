import type { Locale } from '../i18n/types';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Formats a number of bytes in the language of the page, for example "1.2 MB". A kilobyte has 1,024 bytes, as in the file managers of most people. */
export function formatSize(locale: Locale, bytes: number): string {
  let at = 0;
  let value = bytes;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    at++;
  }
  const digits = at > 1 && value < 100 ? 1 : 0;
  return new Intl.NumberFormat(locale.tag, { style: 'unit', unit: units[at]!, unitDisplay: at === 0 ? 'long' : 'short', maximumFractionDigits: digits }).format(value);
}

/** Formats a duration in the language of the page, rounded up: "40 seconds", "3 minutes". */
export function formatDuration(locale: Locale, seconds: number): string {
  const unit = seconds < 90 ? 'second' : seconds < 5400 ? 'minute' : 'hour';
  const value = Math.max(1, Math.ceil(seconds / { second: 1, minute: 60, hour: 3600 }[unit]));
  return new Intl.NumberFormat(locale.tag, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
