/** An address on which nobody can listen: a port that was free a moment ago could be taken. */
export const CLOSED_ADDRESS = 'http://127.0.0.1:1';
