import { Aborted, scenario } from './record.mjs';

export default {
  scenario,
  test: {
    abort(/** @type {string} */ reason) {
      throw new Aborted(reason);
    },
  },
};
