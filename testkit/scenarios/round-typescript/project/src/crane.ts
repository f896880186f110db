export interface Crane {
  tons: number;
}

export function lift(crane: Crane, times: number): number {
  return crane.tons * times;
}
