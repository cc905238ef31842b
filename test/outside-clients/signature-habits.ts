import { createHash, createHmac } from 'node:crypto';

/** Value of a field, as the client's language has it. */
export type Value = string | number | boolean | null | readonly string[];
/** Fields in the order in which a client's program adds them. */
export type Fields = readonly (readonly [string, Value])[];

/** Client that makes one mistake when it signs. */
export type WrongSignature = readonly [
  /** Language whose habit this is, and the mistake. */
  mistake: string,
  /** Request on which it shows. */
  on: keyof typeof REQUESTS,
  /** Words of the explanation; `right` if the interface leaves open which is meant. */
  says: RegExp,
  sign: (fields: Fields, key: string) => string,
  more?: {
    /** Fields that differ from those of the request. */
    readonly with?: Readonly<Record<string, Value>>;
    /** Fields as they are sent, where sending changes them. */
    readonly sent?: (fields: Fields) => Fields;
    /** Change of the encoded query. */
    readonly query?: (encoded: string) => string;
  },
];

const MOMENT = '2026-03-01T10:00:07+08:00';

/** Requests of these clients, with the fields in the order of their programs. */
export const REQUESTS = {
  platform: {
    grant_type: 'client_credentials',
    scope: 'public rides.read rides.request',
    nostr: 'a8Kd0Z',
    _: MOMENT,
  },
  code: {
    grant_type: 'authorization_code',
    auth_code: 'AC+x/9~a*b==',
    scope: 'public rides.read',
    nostr: 'q7RtY2',
    _: MOMENT,
  },
  refresh: {
    grant_type: 'refresh_token',
    refresh_token: 'rt-0f93b27c51',
    nostr: 'Zz19aB',
    _: MOMENT,
  },
  lists: {
    grant_type: 'client_credentials',
    scope: 'public',
    nostr: 'M4n0Pq',
    _: MOMENT,
    tags: ['中/关', 'b&c', "d'e"],
  },
  estimate: {
    start_lat: '39.98',
    start_lng: '116.30',
    from_name: '中关村 Café',
    end_lat: '40.07',
    end_lng: '116.58',
    to_name: "Li's T3/出发",
    product_type: 'private-car',
    ride_type: 'compact',
    map_type: 'soso',
    departure_time: 1772330400,
  },
} as const satisfies Record<string, Readonly<Record<string, Value>>>;

const hash = (algorithm: string, data: string | Buffer) =>
  createHash(algorithm).update(data).digest();
const raw = (data: string | Buffer) => hash('md5', data);
const md5 = (data: string | Buffer) => raw(data).toString('hex');
const twice = (text: string | Buffer, key: string) => md5(md5(text) + key);
const compact = (value: unknown) => JSON.stringify(value);
const plain = (value: unknown): string => (typeof value === 'string' ? value : compact(value));
const kept = (fields: Fields) => fields.filter(([, value]) => value !== '' && value !== null);
const sorted = (fields: Fields) => [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
const pairs = (fields: Fields, write: (value: Value) => string = plain) =>
  fields.map(([name, value]) => `${name.trim()}=${write(value).trim()}`).join('&');
const right = (fields: Fields) => pairs(sorted(kept(fields)));
const written = (write: (value: Value) => string) => (fields: Fields, key: string) =>
  twice(pairs(sorted(kept(fields)), write), key);
const ordered = (order: (fields: Fields) => Fields) => (fields: Fields, key: string) =>
  twice(pairs(order(kept(fields))), key);
const digested = (digest: (text: string, key: string) => string) => (fields: Fields, key: string) =>
  digest(right(fields), key);
const changed =
  (name: string, change: (value: string) => Value) =>
  (fields: Fields, key: string): string =>
    twice(
      right(fields.map(([at, value]) => [at, at === name ? change(String(value)) : value])),
      key,
    );
const and = (name: string, value: Value) => (fields: Fields, key: string) =>
  twice(right([...fields, [name, value]]), key);
const without = (name: string) => (fields: Fields, key: string) =>
  twice(right(fields.filter(([at]) => at !== name)), key);
const lists = (write: (list: readonly string[]) => string) =>
  written((value) => (Array.isArray(value) ? write(value) : plain(value)));
const escaped = (text: string) =>
  text.replaceAll(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
const form = (text: string) =>
  encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const bytes = (digest: Buffer, write: (byte: number) => string) => [...digest].map(write).join('');
const signed = (byte: number) => (byte > 127 ? byte - 256 : byte);
const javaHex = (byte: number) => (signed(byte) >>> 0).toString(16);
const javaHash = (text: string) =>
  Array.from(text).reduce((sum, sign) => (Math.imul(sum, 31) + sign.charCodeAt(0)) | 0, 0);
const javaBucket = (name: string, size: number) => {
  const sum = javaHash(name);
  return (sum ^ (sum >>> 16)) & (size - 1);
};
const javaMap = (fields: Fields) =>
  [...fields].sort(([a], [b]) => {
    const size = fields.length > 12 ? 32 : 16;
    return javaBucket(a, size) - javaBucket(b, size);
  });
/** CESU-8: each half of a surrogate pair as three bytes. */
const cesu8 = (text: string) =>
  Buffer.concat(
    [...Array(text.length).keys()].map((at) => {
      const unit = text.charCodeAt(at);
      return unit < 0xd800 || unit > 0xdfff
        ? Buffer.from(text.charAt(at))
        : Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 63), 0x80 | (unit & 63)]);
    }),
  );
const question = (text: string) => text.replaceAll(/[^\0-\x7f]/g, '?');

/** Mistakes as programs of many languages make them, one each. */
// biome-ignore format: one line a mistake
export const FIRST_HABITS: readonly WrongSignature[] = [
  // Order
  ['PHP: ksort, then $params["nostr"] and ["_"] are added', 'code', /order|sort|append|end/, ordered((f) => [...sorted(f.filter(([n]) => n !== 'nostr' && n !== '_')), ...f.filter(([n]) => n === 'nostr' || n === '_')])],
  ['PHP: asort instead of ksort', 'platform', /value/, ordered((f) => [...f].sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1)))],
  ['PHP: fields in the order of the array, no ksort', 'platform', /order|sort/, ordered((f) => f)],
  ['PHP: krsort', 'platform', /descend|reverse|order/, ordered((f) => sorted(f).reverse())],
  ['C#: StringComparer.OrdinalIgnoreCase, "_" after the letters', 'platform', /order|sort|case/, ordered((f) => [...f].sort(([a], [b]) => (a.toUpperCase() < b.toUpperCase() ? -1 : 1)))],
  ['Java: HashMap', 'platform', /order|sort|map/i, ordered(javaMap)],
  ['Java: HashMap, ten fields', 'estimate', /order|sort|map/i, ordered(javaMap)],
  ['Go: range over a map, one order', 'lists', /order|sort/, ordered((f) => [f[3], f[0], f[4], f[2], f[1]] as Fields)],
  ['shell: sort of the terms, where one key begins another', 'platform', /order|sort|term/, ordered((f) => [...f].sort((a, b) => (a.join('=') < b.join('=') ? -1 : 1))), { with: { tag: 'a', tag1: 'b' } }],
  ['C: fields sorted by the length of the key', 'estimate', /order|sort|length/, ordered((f) => [...sorted(f)].sort(([a], [b]) => a.length - b.length))],
  // Empty values
  ['PHP: empty() drops "0"', 'estimate', /^right/, (f, key) => twice(right(f.filter(([, v]) => v !== '0')), key), { with: { start_lng: '0' } }],
  ['JS: if (value) drops the number 0', 'lists', /0/, (f, key) => twice(right(f.filter(([, v]) => v !== 0)), key), { with: { seats: 0 } }],
  ['Ruby: empty values kept as "imei="', 'estimate', /empty/, (f, key) => twice(pairs(sorted(f)), key), { with: { imei: '' } }],
  ['Java: null becomes "null"', 'lists', /^right/, (f, key) => twice(pairs(sorted(f), (v) => (v === null ? 'null' : plain(v))), key), { with: { memo: null } }],
  ['Python: None becomes "None"', 'lists', /None|null|absent|empty/, (f, key) => twice(pairs(sorted(f), (v) => (v === null ? 'None' : plain(v))), key), { with: { memo: null } }],
  ['JS: a missing scope becomes "undefined"', 'refresh', /undefined|scope/, and('scope', 'undefined')],
  // Values
  ['Python: True for a boolean', 'lists', /True|boolean|true/, written((v) => (v === true ? 'True' : plain(v))), { with: { share: true } }],
  ['PHP: 1 for true', 'lists', /^right/, written((v) => (v === true ? '1' : plain(v))), { with: { share: true } }],
  ['C#: decimal comma of the culture', 'estimate', /comma/, written((v) => plain(v).replace(/^(\d+)\.(\d+)$/, '$1,$2'))],
  ['Go: %v of a float64 writes an exponent', 'lists', /number|exponent|float|notation/, written((v) => (typeof v === 'number' ? '1.7723304e+09' : plain(v))), { with: { at: 1772330400 } }],
  ['JS: parseFloat drops final zeros', 'estimate', /number|zero/, written((v) => (/^\d+\.\d+$/.test(plain(v)) ? String(Number(v)) : plain(v)))],
  ['Java: %.6f for coordinates', 'estimate', /number|decimal|digit|zero/, written((v) => (/^\d+\.\d+$/.test(plain(v)) ? Number(v).toFixed(6) : plain(v)))],
  ['Ruby: Time.now to the millisecond signed, seconds sent', 'platform', /_|time|fraction|millisecond/, changed('_', (v) => v.replace('+', '.000+'))],
  ['Go: signed in UTC, sent with an offset', 'platform', /02:00:07Z/, changed('_', () => '2026-03-01T02:00:07Z')],
  ['JS: Date.now() signed, ISO sent', 'platform', /1772330407000/, changed('_', (v) => String(Date.parse(v)))],
  ['PHP: time() of the next second signed', 'platform', /second|time|_/, changed('_', () => '2026-03-01T10:00:08+08:00')],
  ['Python: nostr lowered after signing', 'platform', /nostr|case/, (f, key) => twice(right(f), key), { with: { nostr: 'A8kd0z' }, sent: (f) => f.map(([n, v]) => [n, n === 'nostr' ? 'a8kd0z' : v]) }],
  ['shell: unquoted variable joins two spaces', 'estimate', /space/, changed('from_name', (v) => v.replaceAll(/ +/g, ' ')), { with: { from_name: '中关村  Café' } }],
  ['VB: all spaces removed', 'platform', /space/, changed('scope', (v) => v.replaceAll(' ', ''))],
  ['C++: values not trimmed', 'estimate', /trim|space/, (f, key) => twice(sorted(kept(f)).map(([n, v]) => `${n}=${plain(v)}`).join('&'), key), { with: { from_name: ' 中关村 ' } }],
  ['PHP: addslashes', 'estimate', /slash|quote/, changed('to_name', (v) => v.replaceAll("'", "\\'"))],
  ['PHP: htmlspecialchars', 'estimate', /HTML/i, changed('to_name', (v) => v.replaceAll("'", '&#039;'))],
  ['Swift: name in decomposed Unicode', 'estimate', /Unicode|NFD|compos|normal/, written((v) => plain(v).normalize('NFD'))],
  ['JS: S in lower case', 'platform', /lower|case/, (f, key) => twice(right(f).toLowerCase(), key)],
  // Percent-encoding
  ['JS: encodeURIComponent of values', 'estimate', /encod/, written((v) => encodeURIComponent(plain(v)))],
  ['Java: URLEncoder of values', 'code', /encod/, written((v) => form(plain(v)))],
  ['C#: HttpUtility.UrlEncode, digits in lower case', 'estimate', /encod/, written((v) => form(plain(v)).replaceAll(/%../g, (hex) => hex.toLowerCase()))],
  ['Python: quote() leaves "/"', 'estimate', /encod/, written((v) => form(plain(v)).replaceAll('+', '%20').replaceAll('%2F', '/'))],
  ['Ruby: CGI.escape of the whole text', 'platform', /encod/, (f, key) => twice(form(right(f)), key)],
  ['PHP: a raw "+" in a name is read as a space', 'estimate', /\+|encod|space/, (f, key) => twice(right(f), key), { with: { from_name: 'A+B, Tor 1' }, query: (text) => text.replaceAll('%2B', '+') }],
  ['shell: a raw "&" in a name ends it', 'estimate', /&|encod/, (f, key) => twice(right(f), key), { with: { from_name: 'A & B' }, query: (text) => text.replaceAll('%26', '&') }],
  ['JS: name encoded twice when sent', 'estimate', /twice|encod/, (f, key) => twice(right(f), key), { sent: (f) => f.map(([n, v]) => [n, n.endsWith('_name') ? encodeURIComponent(String(v)) : v]) }],
  // Text
  ['Java: getBytes("GBK")', 'estimate', /GBK|GB18030|gb/i, (f, key) => { const [before, after] = right(f).split('中关村'); return twice(Buffer.concat([Buffer.from(before as string), Buffer.from('d6d0b9d8b4e5', 'hex'), Buffer.from(after as string)]), key); }, { with: { from_name: '中关村', to_name: 'T3' } }],
  ['C#: Encoding.Unicode', 'platform', /UTF-16/, (f, key) => twice(Buffer.from(right(f), 'utf16le'), key)],
  ['C#: Encoding.ASCII', 'estimate', /\?|ASCII/, (f, key) => twice(question(right(f)), key)],
  ['Java: getBytes("ISO-8859-1"), "é" kept', 'estimate', /8859|Latin/i, (f, key) => twice(Buffer.from(right(f).replaceAll(/[^\0-\xff]/g, '?'), 'latin1'), key)],
  ['JS: "binary" strings keep the low byte', 'estimate', /low byte|binary|Latin|byte/i, (f, key) => twice(Buffer.from(right(f), 'latin1'), key)],
  ['Java: modified UTF-8 of an emoji', 'estimate', /CESU|surrogate/, (f, key) => twice(cesu8(right(f)), key), { with: { from_name: '车站🚕' } }],
  ['PHP: utf8_encode of UTF-8', 'estimate', /twice|Latin|UTF-8/, (f, key) => twice(Buffer.from(right(f)).toString('latin1'), key)],
  ['VB: UTF-8 with a byte order mark', 'platform', /byte order|BOM/, (f, key) => twice(`\ufeff${right(f)}`, key)],
  ['C: the final NUL is digested', 'platform', /u0000/, (f, key) => twice(`${right(f)}\0`, key)],
  ['C: buffer of 64 bytes cuts the text', 'platform', /cut|first|64|short/, (f, key) => twice(right(f).slice(0, 64), key)],
  ['shell: echo without -n', 'platform', /line|newline/, (f, key) => twice(`${right(f)}\n`, key)],
  ['Python: pairs joined without "&"', 'platform', /join|&|separat/, (f, key) => twice(right(f).replaceAll('&', ''), key)],
  ['Ruby: sort.flatten.join, neither "=" nor "&"', 'platform', /join|=|&|separat/, (f, key) => twice(sorted(kept(f)).flat().map(plain).join(''), key)],
  ['JS: a final "&" is kept', 'platform', /&/, (f, key) => twice(`${right(f)}&`, key)],
  ['PHP: HTML page pasted, "&amp;" joins', 'platform', /amp|HTML|join|separat/i, (f, key) => twice(right(f).replaceAll('&', '&amp;'), key)],
  ['Java: Map.toString()', 'platform', /\{|map|join|separat/i, (f, key) => twice(`{${sorted(kept(f)).map((p) => p.join('=')).join(', ')}}`, key)],
  ['JS: JSON of the body instead of pairs', 'platform', /JSON|body/, (f, key) => twice(compact(Object.fromEntries(f)), key)],
  ['Python: json.dumps(sort_keys=True) of the body', 'platform', /JSON|body/, (f, key) => twice(`{${sorted(f).map(([n, v]) => `"${n}": ${compact(v)}`).join(', ')}}`, key)],
  // Lists
  ['PHP: json_encode escapes "/" and text', 'lists', /\\u|escap|ASCII/, lists((l) => escaped(compact(l)).replaceAll('/', '\\/'))],
  ['PHP: JSON_UNESCAPED_UNICODE, "/" escaped', 'lists', /^right/, lists((l) => compact(l).replaceAll('/', '\\/'))],
  ['Python: json.dumps with ", " and \\u', 'lists', /space|\\u|escap/, lists((l) => `[${l.map((i) => escaped(compact(i))).join(', ')}]`)],
  ['Python: str(list)', 'lists', /Python|repr|quote|list/, lists((l) => `[${l.map((i) => (i.includes("'") ? `"${i}"` : `'${i}'`)).join(', ')}]`)],
  ['Ruby: Array#to_s', 'lists', /space|Ruby|JSON/, lists((l) => `[${l.map(compact).join(', ')}]`)],
  ['Go: json.Marshal escapes "&"', 'lists', /HTML|u0026|&/, lists((l) => compact(l).replaceAll('&', '\\u0026'))],
  ['Go: %v of a slice', 'lists', /list|space|bracket|Go/, lists((l) => `[${l.join(' ')}]`)],
  ['JS: String(array)', 'lists', /comma|list|array/, lists((l) => l.join(','))],
  ['Java: List.toString()', 'lists', /list|array|bracket|quote/i, lists((l) => `[${l.join(', ')}]`)],
  ['JS: JSON.stringify(list, null, 2)', 'lists', /indent|pretty|line|space/, lists((l) => JSON.stringify(l, null, 2))],
  ['PHP: "Array" for a list', 'lists', /Array/, lists(() => 'Array')],
  ['PHP: http_build_query, tags[0]=', 'lists', /\[0\]|http_build_query|each|element/, (f, key) => twice(sorted(f).flatMap(([n, v]) => (Array.isArray(v) ? v.map((i, at) => `${form(`${n}[${at}]`)}=${form(String(i))}`) : [`${n}=${form(plain(v))}`])).join('&'), key)],
  // Digests
  ['PHP: md5($s . $key)', 'platform', /single MD5/, digested((s, key) => md5(s + key))],
  ['PHP: md5($s, true), raw inner digest', 'platform', /raw|binary|bytes/, digested((s, key) => md5(Buffer.concat([raw(s), Buffer.from(key)])))],
  ['C#: inner digest "AB-CD-…"', 'platform', /dash|hyphen|-/, digested((s, key) => md5((md5(s).toUpperCase().match(/../g) as string[]).join('-') + key))],
  ['C#: inner digest in upper case', 'platform', /upper|capital/, digested((s, key) => md5(md5(s).toUpperCase() + key))],
  ['Java: toHexString(b), sign extension, on both sides', 'platform', /sign/, digested((s, key) => bytes(raw(bytes(raw(s), javaHex) + key), javaHex))],
  ['Java: toHexString(b & 0xff) without padding, on both sides', 'platform', /zero|pad/, digested((s, key) => bytes(raw(bytes(raw(s), (b) => b.toString(16)) + key), (b) => b.toString(16)))],
  ['Java: BigInteger drops leading zeros inside', 'platform', /zero|pad/, digested((s, key) => md5(md5(s).replace(/^0+/, '') + key)), { with: { nostr: 'aB0019' } }],
  ['JS: inner digest in base64', 'platform', /base64/i, digested((s, key) => md5(raw(s).toString('base64') + key))],
  ['PHP: signature in base64', 'platform', /base64/i, digested((s, key) => raw(md5(s) + key).toString('base64'))],
  ['PHP: hash_hmac("md5")', 'platform', /HMAC/, digested((s, key) => createHmac('md5', key).update(s).digest('hex'))],
  ['Python: HMAC of the inner digest', 'platform', /HMAC/, digested((s, key) => createHmac('md5', key).update(md5(s)).digest('hex'))],
  ['Ruby: SHA-1', 'platform', /SHA-?1/, digested((s, key) => hash('sha1', hash('sha1', s).toString('hex') + key).toString('hex'))],
  ['Go: SHA-256 outside, MD5 inside', 'platform', /SHA-?256/, digested((s, key) => hash('sha256', md5(s) + key).toString('hex'))],
  ['Go: %x of the hexadecimal text', 'platform', /twice|hex/, digested((s, key) => Buffer.from(md5(Buffer.from(md5(s)).toString('hex') + key)).toString('hex'))],
  ['VB: digest of 16 digits', 'platform', /middle half/, digested((s, key) => twice(s, key).slice(8, 24))],
  ['shell: md5sum leaves "  -"', 'platform', /md5sum|  -|-/, digested((s, key) => md5(`${md5(s)}  -${key}`))],
  ['shell: openssl dgst leaves "(stdin)= "', 'platform', /openssl|stdin/, digested((s, key) => md5(`(stdin)= ${md5(s)}${key}`))],
  ['shell: newline before the outer digest', 'platform', /line|newline/, digested((s, key) => md5(`${md5(s)}${key}\n`))],
  ['C: three digests', 'platform', /once more/, digested((s, key) => md5(twice(s, key)))],
  ['Python: str() of the inner bytes', 'platform', /b'|bytes/, digested((s, key) => md5(`b'${md5(s)}'${key}`))],
  // Key
  ['PHP: "&key=" as other platforms do', 'platform', /key=/, digested((s, key) => md5(`${s}&key=${key}`).toUpperCase())],
  ['Go: key first', 'platform', /before|first|front/, digested((s, key) => md5(key + md5(s)))],
  ['Ruby: digest of the key', 'platform', /key/, digested((s, key) => md5(md5(s) + md5(key)))],
  ['shell: key read with its line end', 'platform', /line|newline/, digested((s, key) => twice(s, `${key}\n`))],
  ["Python: key as bytes, b'…'", 'platform', /b'|bytes/, digested((s, key) => twice(s, `b'${key}'`))],
  ['Java: key decoded from base64', 'platform', /base64/i, digested((s, key) => md5(Buffer.concat([Buffer.from(md5(s)), Buffer.from(key, 'base64')])))],
  ['JS: no key', 'platform', /key/, digested((s) => md5(md5(s)))],
  // Fields
  ['PHP: "_" left out', 'platform', /_/, without('_')],
  ['Java: nostr left out', 'platform', /nostr/, without('nostr')],
  ['Java: partner_id signed too', 'platform', /partner/i, (f, key) => twice(right([...f, ['partner_id', 'partner-1']]), key)],
  ['C#: default scope signed, not sent', 'refresh', /scope/, and('scope', 'public')],
  ['Go: map_type left out as optional', 'estimate', /map_type/, without('map_type')],
];

const encoded = (fields: Fields) =>
  fields.map(([n, v]) => `${form(n)}=${form(plain(v))}`).join('&');
const entries =
  (write: (name: string, value: string) => string, joint: string, [before, after] = ['', '']) =>
  (fields: Fields, key: string) =>
    twice(
      before +
        sorted(kept(fields))
          .map(([n, v]) => write(n, plain(v)))
          .join(joint) +
        after,
      key,
    );

/** Thirty more, written when all of the first were explained. */
// biome-ignore format: one line a mistake
export const SECOND_HABITS: readonly WrongSignature[] = [
  ['PHP: ksort with SORT_NATURAL', 'platform', /order|sort/, ordered((f) => [...f].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))), { with: { p10: 'a', p2: 'b' } }],
  ['Java: new BigDecimal(double)', 'estimate', /number|decimal|digit/, changed('start_lng', () => '116.2999999999999971578290569595992565155029296875'), { with: { start_lat: '39.5', start_lng: '116.3', end_lat: '40.5', end_lng: '116.5' } }],
  ['Java: DecimalFormat("#.#")', 'estimate', /number|decimal|digit/, written((v) => (/^\d+\.\d+$/.test(plain(v)) ? String(Number(Number(v).toFixed(1))) : plain(v)))],
  ['JS: toLocaleString() of the time', 'platform', /_/, changed('_', () => '3/1/2026, 10:00:07 AM')],
  ['C#: time in the notation of the culture', 'platform', /_/, changed('_', () => '2026/3/1 10:00:07')],
  ['C#: string.Join("&", dictionary)', 'platform', /\[|\.NET|C#|dictionary/i, entries((n, v) => `[${n}, ${v}]`, '&')],
  ['shell: openssl dgst -r leaves " *stdin"', 'platform', /openssl|stdin|line/, digested((s, key) => md5(`${md5(s)} *stdin${key}`))],
  ['shell: md5 -s of macOS', 'platform', /md5|line/, digested((s, key) => md5(`MD5 ("${s}") = ${md5(s)}${key}`))],
  ['Erlang: ~p of binaries', 'platform', /Erlang|<</, entries((n, v) => `${n}=<<"${v}">>`, '&')],
  ['Elixir: inspect of a map', 'platform', /Elixir|map|%\{/, entries((n, v) => `"${n}" => "${v}"`, ', ', ['%{', '}'])],
  ['Rust: {:x?} of the inner digest', 'platform', /list|byte|Rust/, digested((s, key) => md5(`[${[...raw(s)].map((b) => b.toString(16)).join(', ')}]${key}`))],
  ['Swift: description of a CryptoKit digest', 'platform', /Swift|digest:|CryptoKit/, digested((s, key) => md5(`MD5 digest: ${md5(s)}${key}`))],
  ['Swift: description of a dictionary', 'platform', /Swift|dictionary|map|prints/, entries((n, v) => `"${n}": "${v}"`, ', ', ['[', ']'])],
  ['Dart: toString of a map', 'platform', /Dart|map|prints/, entries((n, v) => `${n}: ${v}`, ', ', ['{', '}'])],
  ['Kotlin: contentToString of the inner digest', 'platform', /list|byte/, digested((s, key) => md5(`[${[...raw(s)].map(signed).join(', ')}]${key}`))],
  ['Postman: {{nostr}} not replaced when it signs', 'platform', /nostr/, changed('nostr', () => '{{nostr}}')],
  ['shell: single quotes keep $NOSTR', 'platform', /nostr/, changed('nostr', () => '$NOSTR')],
  ['Python: signs the former refresh_token', 'refresh', /refresh_token/, changed('refresh_token', () => 'rt-former-77')],
  ['Go: grant_type of another request copied', 'refresh', /grant_type/, changed('grant_type', () => 'client_credentials')],
  ['JS: departure in seconds signed, in ms sent', 'estimate', /departure/, changed('departure_time', () => '1772330400'), { with: { departure_time: 1772330400000 } }],
  ['Excel: leading zero of the imei lost', 'estimate', /imei|zero|number/, changed('imei', () => '12345678901234'), { with: { imei: '012345678901234' } }],
  ['C: body and its line feed', 'platform', /body/, (f, key) => twice(`${compact(Object.fromEntries(f))}\n`, key)],
  ['C: key split around the text', 'platform', /key/, digested((s, key) => md5(key.slice(0, 14) + md5(s) + key.slice(14)))],
  ['PHP: time appended to the key', 'platform', /key/, digested((s, key) => md5(md5(s) + key + MOMENT))],
  ['Python: "&".join(sorted(values))', 'platform', /value/, (f, key) => twice(f.map(([, v]) => plain(v)).sort().join('&'), key)],
  ['Rails: to_query', 'lists', /list|encod/, (f, key) => twice(sorted(f).flatMap(([n, v]) => (Array.isArray(v) ? v.map((i) => `${form(`${n}[]`)}=${form(String(i))}`) : [`${n}=${form(plain(v))}`])).join('&'), key)],
  ['PHP: http_build_query, not sorted', 'code', /encod/, (f, key) => twice(encoded(f), key)],
  ['C: key in a buffer of 16', 'platform', /key/, digested((s, key) => md5(md5(s) + key.slice(0, 15)))],
  ['MySQL: utf8 cuts a name at an emoji', 'estimate', /cut|emoji|beyond|BMP/, changed('from_name', (v) => v.split('🚕')[0] as string), { with: { from_name: '车站🚕 A' } }],
  ['VB: Windows-1252 with a euro sign', 'estimate', /1252/, (f, key) => { const [before, after] = right(f).split('€'); return twice(Buffer.concat([Buffer.from(before as string, 'latin1'), Buffer.from([0x80]), Buffer.from(after as string, 'latin1')]), key); }, { with: { from_name: 'Café €', to_name: 'T3' } }],
];

/** Thirty more, of all steps of the algorithm, written when all before were explained. */
// biome-ignore format: one line a mistake
export const THIRD_HABITS: readonly WrongSignature[] = [
  ['JS: grant_type first, the rest sorted', 'code', /order/, ordered((f) => [...f].sort(([a], [b]) => Number(b === 'grant_type') - Number(a === 'grant_type') || (a < b ? -1 : 1)))],
  ['Go: nostr put before sorted fields', 'estimate', /order/, ordered((f) => [...f].sort(([a], [b]) => Number(b === 'nostr') - Number(a === 'nostr') || (a < b ? -1 : 1))), { with: { nostr: 'a8Kd0Z' } }],
  ['PHP: rsort of values only', 'platform', /order/, ordered((f) => [...f].sort(([, a], [, b]) => (String(a) > String(b) ? -1 : 1)))],
  ['Python: if float(value) drops "0.0"', 'estimate', /start_lng|zero|0/, without('start_lng'), { with: { start_lng: '0.0' } }],
  ['SQL: RTRIM leaves a space in front', 'estimate', /before|trim|whitespace/, (f, key) => twice(sorted(kept(f)).map(([n, v]) => `${n}=${plain(v).trimEnd()}`).join('&'), key), { with: { from_name: ' 中关村 ' } }],
  ['C: only the last "&" of the text stripped', 'lists', /&/, (f, key) => twice(sorted(kept(f)).map((p) => p.join('=')).join('&'), key), { with: { '&a': 'b', tags: 'x' } }],
  ['shell: tr -d "&" also within values', 'estimate', /&/, changed('from_name', (v) => v.replaceAll('&', '')), { with: { from_name: 'A & B' } }],
  ['Ruby: pairs joined with "&&"', 'platform', /&&/, entries((n, v) => `${n}=${v}`, '&&')],
  ['VB: pairs joined with CR and LF', 'platform', /\\r|CR|line/, entries((n, v) => `${n}=${v}`, '\r\n')],
  ['Java: keys in upper case', 'platform', /upper/, entries((n, v) => `${n.toUpperCase()}=${v}`, '&')],
  ['C#: names and values quoted', 'platform', /quot|JSON/, entries((n, v) => `"${n}"="${v}"`, '&')],
  ['PHP: key appended to each value', 'platform', /key/, (f, key) => twice(sorted(kept(f)).map(([n, v]) => `${n}=${plain(v)}${key}`).join('&'), key)],
  ['Java: partner id before the key', 'platform', /key|id/, digested((s, key) => md5(`${md5(s)}partner-1${key}`))],
  ['Java: partner id before the text', 'platform', /text|partner/, digested((s, key) => twice(`partner-1${s}`, key))],
  ['Go: md5(md5(s) + md5(s) + key)', 'platform', /twice|digest/, digested((s, key) => md5(md5(s) + md5(s) + key))],
  ['C: inner digest in reverse', 'platform', /revers/, digested((s, key) => md5(Array.from(md5(s)).reverse().join('') + key))],
  ['JS: key from the environment is undefined', 'platform', /undefined/, digested((s) => md5(`${md5(s)}undefined`))],
  ['PHP: covers _ and nostr only', 'platform', /grant_type.*scope/, (f, key) => twice(right(f.filter(([n]) => n === '_' || n === 'nostr')), key)],
  ['Java: covers grant_type only', 'code', /only/, (f, key) => twice(right(f.filter(([n]) => n === 'grant_type')), key)],
  ['JS: access_token among the pairs', 'estimate', /access_token/, and('access_token', 'tok-1')],
  ['C#: latitude and longitude exchanged', 'estimate', /exchang|swap/, (f, key) => { const at = Object.fromEntries(f); return twice(right(f.map(([n, v]) => [n, at[n.replace(/_l(at|ng)/, (_, x) => (x === 'at' ? '_lng' : '_lat'))] ?? v])), key); }],
  ['Python: round(value, 1)', 'estimate', /decimal|digit|round/, written((v) => (/^\d+\.\d+$/.test(plain(v)) ? `${Number(Number(v).toFixed(1))}${Number(Number(v).toFixed(1)) % 1 === 0 ? '.0' : ''}` : plain(v)))],
  ['Ruby: Base64 of the text', 'platform', /base64/i, (f, key) => twice(Buffer.from(right(f)).toString('base64'), key)],
  ['Java: SHA-1 inside', 'platform', /SHA-?1/, digested((s, key) => md5(hash('sha1', s).toString('hex') + key))],
  ['Go: HMAC with the digest of the key', 'platform', /HMAC/, digested((s, key) => createHmac('md5', md5(key)).update(s).digest('hex'))],
  ['shell: query as curl sends it', 'estimate', /query|encod/, (f, key) => twice(f.map(([n, v]) => `${n}=${encodeURIComponent(plain(v))}`).join('&'), key)],
  ['Node: path before the pairs', 'estimate', /path/, (f, key) => twice(`/v1/estimates/prices?${right(f)}`, key)],
  ['Python: sign of the request before', 'refresh', /earlier|before/, (_f, key) => twice('_=2026-03-01T09:00:07+08:00&grant_type=refresh_token&nostr=Zz19aA&refresh_token=rt-former-77', key)],
  ['Kotlin: emoji as two escapes', 'estimate', /escap/, changed('from_name', (v) => escaped(v)), { with: { from_name: '车站🚕' } }],
  ['Lua: # ends a name', 'estimate', /#/, changed('from_name', (v) => v.split('#')[0] as string), { with: { from_name: 'Gate #3' } }],
];

const joinedOf = (write: (value: Value) => string, fields: Fields) => pairs(fields, write);
const rounded = (digits: number) => (value: Value) =>
  typeof value === 'string' && /^\d+\.\d+$/.test(value)
    ? (Math.floor(Number(`${value}e${digits}`) + 0.5) / 10 ** digits).toFixed(digits)
    : plain(value);
const omit = (fields: Fields, ...names: readonly string[]) =>
  fields.filter(([name]) => !names.includes(name));
const uriEncoded = (value: Value) => encodeURIComponent(plain(value));
const descending = (fields: Fields) => sorted(fields).reverse();

/** Values as languages print them, constants, and two or three mistakes at once. */
// biome-ignore format: one line a mistake
export const FOURTH_HABITS: readonly WrongSignature[] = [
  ["Python: nostr as b'…'", 'platform', /b'…', in "nostr" only/, changed('nostr', (v) => `b'${v}'`)],
  ["Python: every value as b'…'", 'platform', /b'…'$/, written((v) => `b'${plain(v)}'`)],
  ['Rust: {:?} of an Option', 'platform', /Some\("…"\), in "scope" only/, changed('scope', (v) => `Some("${v}")`)],
  ['Swift: an optional in a text', 'refresh', /Optional\("…"\), in "nostr" only/, changed('nostr', (v) => `Optional("${v}")`)],
  ['Java: an Optional in a text', 'platform', /Optional\[…\], in "scope" only/, changed('scope', (v) => `Optional[${v}]`)],
  ['Go: %v of a scope that is nil', 'refresh', /"scope=<nil>"/, and('scope', '<nil>')],
  ['MySQL: false as 0', 'lists', /0 for booleans/, written((v) => (v === false ? '0' : plain(v))), { with: { share: false } }],
  ['JS: String of an object in place of a list', 'lists', /\[object Object\]/, lists(() => '[object Object]')],
  ['Kotlin: a list of Pairs', 'platform', /Kotlin/, entries((n, v) => `(${n}, ${v})`, ', ', ['[', ']'])],
  ['Java: HALF_UP to two digits', 'estimate', /2 digits.*half up/, written(rounded(2)), { with: { start_lat: '31.005', start_lng: '121.115', end_lat: '31.145' } }],
  ['C: %.6f of a float', 'estimate', /6 digits.*single precision/, written((v) => (/^\d+\.\d+$/.test(plain(v)) ? Math.fround(Number(v)).toFixed(6) : plain(v)))],
  ['C#: five significant digits', 'estimate', /5 significant/, written((v) => (/^\d+\.\d+$/.test(plain(v)) ? String(Number(Number(v).toPrecision(5))) : plain(v))), { with: { start_lat: '39.98123', start_lng: '116.30777', end_lng: '116.58123' } }],
  ['Python: str() of a list of scopes', 'platform', /\['public', 'rides.read', /, changed('scope', (v) => `[${v.split(' ').map((one) => `'${one}'`).join(', ')}]`)],
  ['Java: a constant version', 'platform', /"version=1\.0"/, and('version', '1.0')],
  ['JS: a constant format', 'estimate', /"format=json"/, and('format', 'json')],
  ['Go: Authorization signed', 'platform', /"Authorization"/, and('Authorization', 'Bearer partner-1')],
  ['Java: LocalDateTime', 'platform', /another "_".*"2026-03-01T10:00:07"$/, changed('_', (v) => v.slice(0, 19))],
  ['C#: "O", seven digits of a second', 'platform', /another "_".*07\.0000000/, changed('_', (v) => v.replace('+', '.0000000+'))],
  ['Python: unicode_escape', 'estimate', /é as \\xe9/, written((v) => escaped(plain(v)).replaceAll('\\u00', '\\x'))],
  ['R: pairs joined with " & "', 'platform', /" & "/, entries((n, v) => `${n}=${v}`, ' & ')],
  ['Elixir: names as atoms', 'platform', /`:` before names/, entries((n, v) => `:${n}=${v}`, '&')],
  ['Go: the last two of the sorted fields left out', 'platform', /"nostr" and .*"scope"$|"scope" and .*"nostr"$/, (f, key) => twice(right(omit(f, 'nostr', 'scope')), key)],
  ['two: seconds, no nostr', 'platform', /1772330407.*"nostr"$|"nostr".*1772330407"$/, (f, key) => twice(right(omit(f, 'nostr').map(([n, v]) => [n, n === '_' ? '1772330407' : v])), key)],
  ['two: partner_id, "&key=" as other platforms', 'platform', /partner_id.*single MD5.*&key=/, (f, key) => md5(`${right([...f, ['partner_id', 'partner-1']])}&key=${key}`).toUpperCase()],
  ['two: no grant_type, 16 characters of the key', 'platform', /grant_type.*first 16/, (f, key) => twice(right(omit(f, 'grant_type')), key.slice(0, 16))],
  ['two: spaces in a list, milliseconds', 'lists', /07\.000\+08.*spaces/, (f, key) => twice(joinedOf((v) => (Array.isArray(v) ? `[${v.map(compact).join(', ')}]` : plain(v)), sorted(f.map(([n, v]) => [n, n === '_' ? plain(v).replace('+', '.000+') : v]))), key)],
  ['two: departure in ms, not sorted', 'estimate', /departure_time.*unsorted/, (f, key) => twice(joinedOf((v) => (v === 1772330400 ? '1772330400000' : plain(v)), f), key)],
  ['three: no _ and nostr, md5(S + key), not sorted', 'code', /"nostr".*"_".*unsorted.*single MD5/, (f, key) => md5(pairs(omit(f, '_', 'nostr')) + key)],
  ['three: empty kept, upper case inside, line end of the key', 'platform', /empty.*upper case.*line feed/, (f, key) => md5(`${md5(pairs(sorted(f))).toUpperCase()}${key}\n`), { with: { scope: '' } }],
  ['three: no scope, descending, HMAC', 'platform', /"scope".*descending.*HMAC-MD5/, (f, key) => createHmac('md5', key).update(pairs(descending(omit(f, 'scope')))).digest('hex')],
  ['three: UTC, encoded, md5(S + key)', 'code', /02:00:07Z.*encodes.*single MD5/, (f, key) => md5(joinedOf(uriEncoded, sorted(f.map(([n, v]) => [n, n === '_' ? '2026-03-01T02:00:07Z' : v]))) + key)],
];
