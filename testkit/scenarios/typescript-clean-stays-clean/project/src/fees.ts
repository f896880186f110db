export function fees(each: number[]): number {
  return each.reduce((a, b) => a + b, 0);
}
