import { register } from 'node:module';
import { text } from 'node:stream/consumers';

// openapi-typescript builds a syntax tree with the API of TypeScript, which version 7 no longer has.
const hook = `export const resolve = (specifier, context, next) =>
  next(specifier === 'typescript' ? 'typescript-5' : specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);

const { default: generate, astToString } = await import('openapi-typescript');
const document = JSON.parse(await text(process.stdin));
process.stdout.write(astToString(await generate(document)));
