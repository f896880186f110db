export function lift(tons: number, times: number): number {
  return tons * times;
}
