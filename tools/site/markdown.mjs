import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';

/** @type {{ repository: { url: string } }} */
const { repository } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** Address of a file in the repository, for those that are not on the site. */
const BLOB = `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/main/`;

/**
 * Renders a page in GitHub's Markdown: headings have the anchors of GitHub, and links lead to pages of
 * the site where there is one, else to the repository. A heading has another anchor by `<a id="…"></a>`.
 *
 * @param {string} markdown
 * @param {string} source path of the page in the repository, to which its links are relative
 * @param {ReadonlyMap<string, string>} files pages of the site by their path in the repository
 */
export function renderMarkdown(markdown, source, files) {
  const slugger = new GithubSlugger();
  const address = (/** @type {string} */ href) => {
    if (/^(?:[a-z]+:|#)/.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const hash = anchor === undefined ? '' : `#${anchor}`;
    const target = posix.normalize(posix.join(posix.dirname(source), path));
    const file = files.get(target);
    if (file !== undefined) return file + hash;
    if (target.startsWith('docs/pictures/')) return target.slice('docs/'.length);
    if (/^schemas\/.+\.json$/.test(target) || /^[\w-]+\.html$/.test(target)) return target + hash;
    return BLOB + target + hash;
  };
  const marked = new Marked({
    walkTokens(token) {
      if (token.type === 'link' || token.type === 'image') token['href'] = address(token['href']);
    },
    renderer: {
      heading({ tokens, depth, text }) {
        const plain = text.replaceAll(/<[^>]+>/g, '').replaceAll(/[`*]/g, '');
        const [, given] = /<a id="([^"]+)"><\/a>/.exec(text) ?? [];
        const id = given ?? slugger.slug(plain);
        const inline = this.parser.parseInline(tokens.filter(({ type }) => type !== 'html'));
        return `<h${depth} id="${id}">${inline}</h${depth}>\n`;
      },
      table(token) {
        const cell = (
          /** @type {{ tokens: import('marked').Token[] }} */ { tokens },
          /** @type {string} */ tag,
        ) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
        const head = token.header.map((one) => cell(one, 'th')).join('');
        const rows = token.rows.map(
          (row) => `<tr>${row.map((one) => cell(one, 'td')).join('')}</tr>`,
        );
        return `<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}
