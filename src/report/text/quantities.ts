/** A time in microseconds for a reader: `0 µs`, `412 µs`, `3.81 ms`, `1.2 s`. */
export function formatUs(us: number): string {
  if (us < 1000) return `${digits(us)} µs`;
  if (us < 1_000_000) return `${digits(us / 1000)} ms`;
  return `${digits(us / 1_000_000)} s`;
}

/** A time in nanoseconds for a reader. */
export function formatNs(ns: number): string {
  return ns < 1000 ? `${digits(ns)} ns` : formatUs(ns / 1000);
}

/** A rate in requests a second for a reader: `1,250/s`. */
export function formatRate(perSecond: number): string {
  return `${perSecond < 100 ? digits(perSecond) : formatCount(Math.round(perSecond))}/s`;
}

/** A count for a reader: `1,250`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}

/** A share from 0 to 1 for a reader: `0.08 %`. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent !== 0 && Math.abs(percent) < 0.001) return `${percent < 0 ? '> −' : '< '}0.001 %`;
  return `${digits(percent)} %`;
}

/** A change in percent for a reader, with its sign: `+3.2 %`, `−0.4 %`. */
export function formatShift(percent: number): string {
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '±';
  return `${sign}${Math.abs(percent).toFixed(1)} %`;
}

/** A size in bytes for a reader: `312 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${digits(value)} ${units[unit]}`;
}

/** A span between two ISO 8601 instants for a reader: `1.9 s`, `2 min 5 s`. */
export function formatSpan(startedAt: string, finishedAt: string): string {
  const seconds = Math.max(0, secondsBetween(startedAt, finishedAt));
  if (seconds < 60) return `${digits(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Seconds between two ISO 8601 instants. */
export function secondsBetween(startedAt: string, finishedAt: string): number {
  return (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
}

/** An ISO 8601 instant for a reader, in UTC: `2025-11-20 10:27 UTC`. */
export function formatInstant(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What a value is: microseconds, a rate a second, a count, a share from 0 to 1, bytes. */
export type Unit = 'us' | 'rate' | 'count' | 'share' | 'bytes';

/** A value of a unit for a reader. */
export function formatIn(unit: Unit, value: number): string {
  return FORMATS[unit](value);
}

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  us: formatUs,
  rate: formatRate,
  count: formatCount,
  share: formatShare,
  bytes: formatBytes,
};

/** `1 rule`, `2 rules`. */
export function countOf(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** About three significant digits; none behind the point of a whole number. */
function digits(value: number): string {
  const size = Math.abs(value);
  const behind = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  const text = value.toLocaleString('en', {
    minimumFractionDigits: behind,
    maximumFractionDigits: behind,
  });
  return text.replace('-', '−');
}
