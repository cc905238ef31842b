// Reads one module's source and says what it refers to: other modules, and objects of the global
// scope. It judges nothing; check-arrows.mjs does.

import { parseSync, visitorKeys } from 'oxc-parser';

/**
 * @typedef {{ type: string, start: number, [key: string]: any }} Node a node of the syntax tree
 *
 * @typedef {object} Reference a way to another module or file
 * @property {'import' | 'url'} kind `url` for `new URL('...', import.meta.url)`
 * @property {string | null} specifier as written; null where it is computed and cannot be read
 * @property {number} line
 *
 * @typedef {object} GlobalUse a use of an object of the global scope
 * @property {string} object such as `process`
 * @property {string | null} member such as `env`, `new` for `new X()` without arguments, `*` for
 *   a computed name; null where the object itself is handed on
 * @property {number} line
 *
 * @typedef {{ references: Reference[], globals: GlobalUse[], errors: { message: string, line: number }[] }} Module
 */

/** Modules that are a global object by another name. */
const MODULE_OF_GLOBAL = new Map([
  ['process', 'process'],
  ['node:process', 'process'],
  ['console', 'console'],
  ['node:console', 'console'],
]);

/**
 * @param {string} path
 * @param {string} source
 * @returns {Module}
 */
export function readModule(path, source) {
  const lang = /\.[cm]?ts$/.test(path) ? 'ts' : 'js';
  const parsed = parseSync(path, source, { lang, sourceType: 'module', preserveParens: false });
  const lineOf = lineFinder(source);
  const program = /** @type {Node} */ (/** @type {unknown} */ (parsed.program));
  return {
    references: readReferences(program, lineOf),
    globals: readGlobals(program, lineOf),
    errors: parsed.errors.map(({ message, labels }) => ({
      message,
      line: lineOf(labels[0]?.start ?? 0),
    })),
  };
}

/**
 * @param {string} source
 * @returns {(offset: number) => number}
 */
function lineFinder(source) {
  const ends = [...source.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/**
 * @param {Node} node
 * @returns {Node[]}
 */
function children(node) {
  return (visitorKeys[node.type] ?? []).flatMap((key) => node[key] ?? []).filter(Boolean);
}

// References

/**
 * @param {Node} program
 * @param {(offset: number) => number} lineOf
 * @returns {Reference[]}
 */
function readReferences(program, lineOf) {
  /** @type {Reference[]} */
  const references = [];

  /** @param {Node} node */
  function visit(node) {
    const found = addressOf(node);
    if (found) {
      for (const specifier of readText(found.address) ?? [null]) {
        references.push({ kind: found.kind, specifier, line: lineOf(node.start) });
      }
    }
    for (const child of children(node)) visit(child);
  }

  visit(program);
  return references;
}

/**
 * @param {Node} node
 * @returns {{ kind: 'import' | 'url', address: Node | undefined } | undefined}
 */
function addressOf(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return { kind: 'import', address: node.source };
    case 'ExportNamedDeclaration':
      return node.source ? { kind: 'import', address: node.source } : undefined;
    case 'TSExternalModuleReference':
      return { kind: 'import', address: node.expression };
    case 'CallExpression':
      return isLoader(node.callee) ? { kind: 'import', address: node.arguments[0] } : undefined;
    case 'NewExpression':
      return node.callee.name === 'URL' && isImportMeta(node.arguments[1], 'url')
        ? { kind: 'url', address: node.arguments[0] }
        : undefined;
    default:
      return undefined;
  }
}

/**
 * `require`, `require.resolve`, `createRequire(...)`, `import.meta.resolve`, `getBuiltinModule`.
 *
 * @param {Node} callee
 */
function isLoader(callee) {
  if (callee.type === 'Identifier') return callee.name === 'require';
  if (callee.type === 'CallExpression') return callee.callee.name === 'createRequire';
  if (callee.type !== 'MemberExpression') return false;
  const name = staticName(callee);
  return (
    name === 'getBuiltinModule' ||
    (name === 'resolve' && callee.object.name === 'require') ||
    isImportMeta(callee, 'resolve')
  );
}

/**
 * @param {Node | undefined} node
 * @param {string} member
 */
function isImportMeta(node, member) {
  return (
    node?.type === 'MemberExpression' &&
    node.object.type === 'MetaProperty' &&
    staticName(node) === member
  );
}

/**
 * The texts that an expression can stand for; of a text with a computed end, what comes before,
 * if that names more than a folder. Null where it cannot be read.
 *
 * @param {Node | undefined} node
 * @returns {string[] | null}
 */
function readText(node) {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : null;
    case 'TemplateLiteral': {
      const start = node.quasis[0].value.cooked;
      return node.expressions.length === 0 ? [start] : readStart(start);
    }
    case 'BinaryExpression': {
      const left = node.operator === '+' ? readText(node.left) : null;
      return left?.length === 1 ? readStart(left[0]) : null;
    }
    case 'ConditionalExpression': {
      const [yes, no] = [readText(node.consequent), readText(node.alternate)];
      return yes && no && [...yes, ...no];
    }
    default:
      return null;
  }
}

/**
 * @param {string | undefined} start
 * @returns {string[] | null}
 */
function readStart(start) {
  return start && /[^./][^/]*$/.test(start) ? [start] : null;
}

/**
 * @param {Node} member a MemberExpression or a Property
 * @returns {string | null}
 */
function staticName(member) {
  const key = member.property ?? member.key;
  if (!member.computed) return key.name ?? key.value;
  return key.type === 'Literal' ? String(key.value) : null;
}

// Globals

/** @typedef {{ names: Map<string, string | null>, outer: Scope | null }} Scope */

/**
 * @param {Node} program
 * @param {(offset: number) => number} lineOf
 * @returns {GlobalUse[]}
 */
function readGlobals(program, lineOf) {
  /** @type {GlobalUse[]} */
  const uses = [];

  /**
   * @param {string} object
   * @param {string | null} member
   * @param {Node} node
   */
  function record(object, member, node) {
    uses.push({ object, member, line: lineOf(node.start) });
  }

  /**
   * @param {Node} node
   * @param {Scope | null} outer
   */
  function visit(node, outer) {
    const names = declaredIn(node);
    const scope = names.size > 0 ? { names, outer } : outer;
    switch (node.type) {
      case 'ImportDeclaration':
        recordImports(node);
        return;
      case 'ExportSpecifier':
        if (node.local.type === 'Identifier') visit(node.local, scope);
        return;
      case 'ExportNamedDeclaration':
        if (node.source) return;
        break;
      case 'Identifier': {
        const name = globalName(node, scope);
        if (name) record(name, null, node);
        return;
      }
      case 'MemberExpression': {
        const object = globalName(node.object, scope);
        const itself = globalName(node, scope);
        if (itself) record(itself, null, node);
        else if (object) record(object, staticName(node) ?? '*', node);
        else visit(node.object, scope);
        if (node.computed) visit(node.property, scope);
        return;
      }
      case 'VariableDeclarator':
        if (recordDestructuring(node.id, node.init, scope)) return;
        break;
      case 'NewExpression': {
        const name = globalName(node.callee, scope);
        if (name && node.arguments.length === 0) {
          record(name, 'new', node);
          return;
        }
        break;
      }
      case 'UnaryExpression':
        if (node.operator === 'typeof' && globalName(node.argument, scope)) return;
        break;
      case 'Property':
      case 'MethodDefinition':
      case 'PropertyDefinition':
      case 'AccessorProperty':
        for (const child of children(node)) {
          if (child !== node.key || node.computed) visit(child, scope);
        }
        return;
      case 'LabeledStatement':
        visit(node.body, scope);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
        return;
      default:
        if (isTypeOnly(node)) return;
    }
    for (const child of children(node)) visit(child, scope);
  }

  /** @param {Node} node an ImportDeclaration */
  function recordImports(node) {
    const object = MODULE_OF_GLOBAL.get(node.source.value);
    if (!object || node.importKind === 'type') return;
    for (const specifier of node.specifiers) {
      const name = specifier.imported?.name ?? specifier.imported?.value ?? 'default';
      if (name !== 'default') record(object, name, specifier);
    }
  }

  /**
   * @param {Node} pattern
   * @param {Node | null} init
   * @param {Scope | null} scope
   */
  function recordDestructuring(pattern, init, scope) {
    const object = init && pattern.type === 'ObjectPattern' ? globalName(init, scope) : null;
    if (!object) return false;
    for (const property of pattern.properties) {
      const member = property.type === 'Property' ? (staticName(property) ?? '*') : null;
      record(object, member, property);
    }
    return true;
  }

  visit(program, null);
  return uses;
}

/** Nodes of TypeScript that stand around an expression and leave it what it is. */
const TRANSPARENT = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'ChainExpression',
]);

/** @param {Node} node */
function isTypeOnly(node) {
  return node.type.startsWith('TS') && !TRANSPARENT.has(node.type);
}

/**
 * The global object that an expression names, be it by way of `globalThis` or of an import.
 *
 * @param {Node} node
 * @param {Scope | null} scope
 * @returns {string | null}
 */
function globalName(node, scope) {
  if (TRANSPARENT.has(node.type)) return globalName(node.expression, scope);
  if (node.type === 'MemberExpression') {
    const object = globalName(node.object, scope);
    return object === 'globalThis' || object === 'global' ? staticName(node) : null;
  }
  if (node.type !== 'Identifier') return null;
  for (let at = scope; at; at = at.outer) {
    const meaning = at.names.get(node.name);
    if (meaning !== undefined) return meaning;
  }
  return node.name;
}

/**
 * The names that a node declares for what is inside it, each with the global that it stands for.
 *
 * @param {Node} node
 * @returns {Map<string, string | null>}
 */
function declaredIn(node) {
  switch (node.type) {
    case 'Program':
      return namesOf(node.body.flatMap(declarationsOf), importedGlobals(node));
    case 'BlockStatement':
    case 'StaticBlock':
      return namesOf(node.body.flatMap(declarationsOf));
    case 'SwitchStatement':
      return namesOf(
        node.cases.flatMap((/** @type {Node} */ one) => one.consequent.flatMap(declarationsOf)),
      );
    case 'ForStatement':
      return namesOf(declarationsOf(node.init));
    case 'ForInStatement':
    case 'ForOfStatement':
      return namesOf(declarationsOf(node.left));
    case 'CatchClause':
      return namesOf(bindings(node.param));
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return namesOf([node.id, ...node.params].flatMap(bindings));
    case 'ClassDeclaration':
    case 'ClassExpression':
      return namesOf(bindings(node.id));
    default:
      return new Map();
  }
}

/**
 * @param {string[]} names
 * @param {Map<string, string>} [globals]
 * @returns {Map<string, string | null>}
 */
function namesOf(names, globals) {
  return new Map(names.map((name) => [name, globals?.get(name) ?? null]));
}

/**
 * @param {Node} program
 * @returns {Map<string, string>}
 */
function importedGlobals(program) {
  /** @type {Map<string, string>} */
  const globals = new Map();
  for (const node of program.body) {
    if (node.type !== 'ImportDeclaration') continue;
    const object = MODULE_OF_GLOBAL.get(node.source.value);
    if (!object) continue;
    for (const { imported, local } of node.specifiers) {
      if (!imported || imported.name === 'default') globals.set(local.name, object);
    }
  }
  return globals;
}

/**
 * @param {Node | null} statement
 * @returns {string[]}
 */
function declarationsOf(statement) {
  switch (statement?.type) {
    case 'ImportDeclaration':
      return statement.specifiers.map((/** @type {Node} */ one) => one.local.name);
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return declarationsOf(statement.declaration);
    case 'VariableDeclaration':
      return statement.declarations.flatMap((/** @type {Node} */ one) => bindings(one.id));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return bindings(statement.id);
    default:
      return [];
  }
}

/**
 * @param {Node | null} pattern
 * @returns {string[]}
 */
function bindings(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((/** @type {Node} */ one) => bindings(one.value ?? one));
    case 'ArrayPattern':
      return pattern.elements.flatMap(bindings);
    case 'AssignmentPattern':
      return bindings(pattern.left);
    case 'RestElement':
      return bindings(pattern.argument);
    default:
      return [];
  }
}
