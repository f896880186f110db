import { readFile } from "node:fs/promises";
import defaults, * as helpers from "./helpers.js";

export class Cart extends Map {
  static #count = 0;
  #owner = null;

  constructor({ owner = "nobody", ...rest } = {}) {
    super(Object.entries(rest));
    this.#owner = owner;
    Cart.#count++;
  }

  get total() {
    return [...this.values()].reduce((sum, { price, count = 1 }) => sum + price * count, 0);
  }

  async *lines(path) {
    const text = await readFile(path, { encoding: "utf8" });
    for (const line of text.split(/\r?\n/u)) {
      if (!line?.trim()) continue;
      yield `${this.#owner ?? "?"}: ${line.padEnd(20)}`;
    }
  }
}

const settings = { ...defaults, [Symbol.iterator]: function* () { yield 1n; }, "a-b": 0b101 };

outer: for (let i = 0, j = 10; i < j; i += 2) {
  switch (i % 3) {
    case 0: continue outer;
    default: helpers.log?.(i ** 2, settings);
  }
}

export default async () => {
  try {
    const { default: loaded } = await import("./late.js");
    return loaded || new Cart();
  } catch {
    return undefined;
  }
};
