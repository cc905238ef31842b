/** Like that of k6, it takes an array only, and copies its elements by JSON. */
export class SharedArray extends Array {
  /**
   * @param {string} _name
   * @param {() => unknown[]} make
   */
  constructor(_name, make) {
    super();
    const list = make();
    if (!Array.isArray(list)) throw new Error('only arrays can be made into SharedArray');
    for (const one of list) this.push(JSON.parse(JSON.stringify(one)));
  }
}
