import type { Cut } from '@foldmesh/worlds';
import type { Draw } from './draw.ts';

/** Something that happens to services and stores at a moment of its own. Times are milliseconds after the beginning; `who` picks one. */
export type Blow =
  | { readonly kind: 'all-die'; readonly atMs: number }
  | { readonly kind: 'one-dies'; readonly atMs: number; readonly who: number }
  | { readonly kind: 'stand-still'; readonly atMs: number; readonly forMs: number; readonly who: number }
  | {
      readonly kind: 'link-cut';
      readonly atMs: number;
      readonly forMs: number;
      readonly who: number;
      readonly ports: readonly string[];
      readonly how: Cut;
    }
  | { readonly kind: 'inbox-away'; readonly atMs: number; readonly forMs: number; readonly how: Cut }
  | { readonly kind: 'dead-away'; readonly atMs: number; readonly forMs: number; readonly how: Cut }
  | { readonly kind: 'inbox-emptied'; readonly atMs: number }
  | { readonly kind: 'inbox-fails-over'; readonly atMs: number }
  | { readonly kind: 'clock-jumps'; readonly atMs: number; readonly who: number; readonly byMs: number }
  | { readonly kind: 'older-envelope'; readonly atMs: number; readonly which: number }
  | { readonly kind: 'newer-envelope'; readonly atMs: number; readonly which: number };

export type BlowKind = Blow['kind'];

/** Those that fall by themselves, each as often as any other. */
const alone = [
  'all-die',
  'one-dies',
  'stand-still',
  'link-cut',
  'inbox-away',
  'inbox-emptied',
  'inbox-fails-over',
  'clock-jumps',
  'older-envelope',
  'newer-envelope',
] as const;

export const blowKinds: readonly BlowKind[] = [...alone, 'dead-away'];

/** What a service can be cut off from, one link or several at once. */
const links: readonly (readonly string[])[] = [
  ['bus'],
  ['journal'],
  ['inbox'],
  ['blobs', 'index'],
  ['bus', 'journal', 'inbox', 'blobs', 'index', 'dead', 'memory'],
];

export const randomBlow = (draw: Draw, healsAtMs: number): Blow => {
  const atMs = draw.below(healsAtMs);
  const who = draw.below(100);
  const forMs = draw.from(500, 15_000);
  const kind = draw.oneOf(alone);
  switch (kind) {
    case 'all-die':
    case 'inbox-emptied':
    case 'inbox-fails-over':
      return { kind, atMs };
    case 'one-dies':
      return { kind, atMs, who };
    case 'stand-still':
      return { kind, atMs, forMs, who };
    case 'link-cut':
      return { kind, atMs, forMs, who, ports: draw.oneOf(links), how: draw.oneOf<Cut>(['out', 'back']) };
    case 'inbox-away':
      return { kind, atMs, forMs, how: draw.oneOf<Cut>(['out', 'back']) };
    case 'clock-jumps':
      return { kind, atMs, who, byMs: draw.from(-20_000, 20_000) };
    case 'older-envelope':
    case 'newer-envelope':
      return { kind, atMs, which: draw.below(1_000) };
  }
};

/**
 * Something comes that nobody here can read, and has to be set aside while nobody reaches the store of dead letters: mostly
 * for longer than a message waits for its reader and a store is asked again together.
 */
export const unreadable = (draw: Draw, healsAtMs: number): readonly Blow[] => {
  const atMs = draw.below(healsAtMs / 3);
  return [
    { kind: 'newer-envelope', atMs, which: draw.below(1_000) },
    { kind: 'dead-away', atMs, forMs: draw.from(5_000, 25_000), how: draw.chance(0.8) ? 'out' : 'back' },
  ];
};
