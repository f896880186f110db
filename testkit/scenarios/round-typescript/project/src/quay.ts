import { lift } from "./crane";

export function unload(): number {
  return lift({ tons: 40 }, 3);
}
