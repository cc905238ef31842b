/** Names of the engines, the default first: data that help texts and suites list without loading one. */
export const ENGINE_NAMES = ['native', 'autocannon'] as const;

/** The name of an engine. */
export type EngineName = (typeof ENGINE_NAMES)[number];
