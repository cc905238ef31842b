import { readFileSync } from 'node:fs';

const STYLE = readFileSync(new URL('site.css', import.meta.url), 'utf8');

/** @typedef {{ file: string, group: string, name: string }} Entry */

/**
 * A page with the navigation of the site; it loads nothing but its pictures.
 *
 * @param {Entry} page
 * @param {readonly Entry[]} all
 * @param {string} html
 */
export function layOut(page, all, html) {
  const groups = [...new Set(all.map(({ group }) => group))];
  const link = (/** @type {Entry} */ { file, name }) =>
    `<li><a href="${file}"${file === page.file ? ' aria-current="page"' : ''}>${name}</a></li>`;
  const navigation = groups.map(
    (group) =>
      `<h2>${group}</h2><ul>${all
        .filter((one) => one.group === group)
        .map(link)
        .join('')}</ul>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.name} · Fareproof</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<details class="menu"><summary>Pages</summary><nav aria-label="Pages of the site, on a narrow screen">${navigation.join('')}</nav></details>
<nav class="side" aria-label="Pages of the site">${navigation.join('')}</nav>
<main id="content">
${html}
</main>
</body>
</html>
`;
}
