import type { Reader } from "./reader";
import { open } from "./files.js";

export type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };

type Keys<T> = { [K in keyof T as `get${Capitalize<string & K>}`]?: () => T[K] };
type Inner<T> = T extends Promise<infer U> ? U : never;

declare module "late" {
  export function late(this: Window, ...args: unknown[]): asserts args is string[];
}

const enum Level { Low = 1, High = Low << 2 }

@injectable()
export abstract class Store<T extends { id: string }> implements Reader<T> {
  static readonly limit: number = 10;
  protected items = new Map<string, T>();

  constructor(private readonly name: string, public level?: Level) {}

  abstract load(path: string): Promise<Result<T[]>>;

  get(id: string): T | undefined;
  get(id: string, fallback: T): T;
  get(id: string, fallback?: T): T | undefined {
    return this.items.get(id) ?? fallback;
  }

  async *all(): AsyncGenerator<T, void, unknown> {
    for await (const item of this.items.values()) yield item!;
  }
}

export async function first<const T extends readonly unknown[]>(list: T): Promise<Inner<T[0]>> {
  const [head] = list as unknown as [Inner<T[0]>];
  await using file = await open("x" satisfies string);
  return (<any>file)?.map((x: number): x is 1 => x === 1) ? head : head;
}
