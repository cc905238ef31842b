import type { ChildProcess } from 'node:child_process';
import type { FromAgent, MessageChannel, ToAgent } from './message.ts';

/**
 * The channel to an agent that is a child process, started with an IPC channel and the `advanced`
 * serialization. Closing it ends the process.
 */
export function channelToChild(child: ChildProcess): MessageChannel<ToAgent, FromAgent> {
  return {
    send: (message) => {
      // The error of a process that ends at this moment is told by its exit.
      if (child.connected) child.send(message, () => undefined);
    },
    listen: (listener) => void child.on('message', (message) => listener(message as FromAgent)),
    ended: new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    }),
    // A stopped process takes no other signal.
    close: () => void child.kill('SIGKILL'),
  };
}

type ChildEnd = Pick<NodeJS.Process, 'send' | 'on' | 'once' | 'disconnect' | 'connected'>;

/** The channel of an agent to the controller that started its process. */
export function channelToParent(end: ChildEnd): MessageChannel<FromAgent, ToAgent> {
  return {
    send: (message) => {
      if (end.connected) end.send?.(message, () => undefined);
    },
    listen: (listener) => void end.on('message', (message) => listener(message as ToAgent)),
    ended: new Promise((resolve) => void end.once('disconnect', resolve)),
    close: () => {
      if (end.connected) end.disconnect?.();
    },
  };
}
