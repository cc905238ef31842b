/** Where nobody listens, and nobody can begin to: a port that was free a moment ago could be taken. */
export const CLOSED_ADDRESS = 'http://127.0.0.1:1';
