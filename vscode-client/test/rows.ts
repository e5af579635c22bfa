// Rows for tests.

import type { Row } from '../src/protocol/answers';

export const sort: Row = {
  rank: 1, id: 'example.com/parking.(*Park).Sort', name: '(*Park).Sort', kind: 'function', package: 'example.com/parking',
  zone: 'red', psi: 0.5812, share: 0.601, psiInterval: [0.55, 0.61], joules: 1.5, domains: [{ name: 'cpu', joules: 1.5, interval: [1.4, 1.6] }],
  joulesPerCall: 0.0025, n: 600, timeMs: 60.25, belowResolution: false, file: 'order.go', place: { uri: 'file:///park/order.go', line: 8 },
  stale: false, gone: false, change: '', run: 'r1', scope: '', folder: 'file:///home/me/park', meter: 'rapl', source: 'measured',
};

/** A copy of a row with some fields changed. */
export function like(row: Row, over: Partial<Row>): Row {
  return { ...row, ...over };
}

/** A copy of a row without its place: its source is gone, or was never known. */
export function lost(row: Row): Row {
  const { place, ...rest } = row;
  return place === undefined ? row : { ...rest, file: '' };
}
