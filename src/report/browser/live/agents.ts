import { AGENT_COLUMNS, type ShownAgent } from '../../text/agent-columns.ts';
import { TONE_SIGNS } from '../../text/tones.ts';
import { badge, elementOf, make } from '../elements.ts';

/** Shows the agents of a run in their table; without any, the part stays hidden. */
export function showAgents(agents: readonly ShownAgent[]): void {
  elementOf('#live-agents-part').hidden = agents.length === 0;
  if (agents.length === 0) return;
  const table = elementOf('#live-agents');
  const head = AGENT_COLUMNS.map(({ name, numeric }) => {
    const cell = make('th', numeric === true ? 'number' : '', capitalized(name));
    cell.setAttribute('scope', 'col');
    return cell;
  });
  table.querySelector('thead')?.replaceChildren(make('tr', '', ...head));
  table.querySelector('tbody')?.replaceChildren(...agents.map(rowOf));
}

function rowOf(agent: ShownAgent, index: number): HTMLElement {
  const cells = AGENT_COLUMNS.map(({ cell, numeric }, at) => {
    const element = make(at === 0 ? 'th' : 'td', numeric === true ? 'number' : '');
    if (at === 0) element.setAttribute('scope', 'row');
    const value = cell(agent, index);
    if (typeof value === 'string') element.append(value);
    else if ('code' in value) element.append(make('code', '', value.code));
    else element.append(badge(value.tone, TONE_SIGNS[value.tone], value.words));
    return element;
  });
  return make('tr', '', ...cells);
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
