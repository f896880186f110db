import { lift } from "./index";

export function unload(): number {
  return lift(40, 3);
}
