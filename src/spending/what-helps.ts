/** Words for a target that began anew by the word of its user, and refuses as if it had not. */
export const NOT_RESTARTED = 'its allowances are used up: restart it, or give it a control API';
