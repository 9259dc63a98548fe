import { kindOf, type Type } from '../catalogue.ts';
import { encodeJson } from '../codec.ts';
import type { Draft } from '../envelope.ts';
import { type RawHeaders, writeHeaders } from '../headers.ts';
import { digestOf, TraceId, WireId } from '../ids.ts';
import type { Party } from '../party.ts';
import { type Stamp, seal } from '../seal.ts';
import { goldenDrafts, goldenVariants } from './golden-drafts.ts';

/** A message as it lay on the wire; body and claim are kept as text, so that not a byte of them is anybody's to rearrange. */
export interface Fixture {
  readonly subject: string;
  readonly headers: RawHeaders;
  readonly body: string;
  /** What lay in the blob store, where the payload travelled by claim check. */
  readonly claim?: string;
}

export interface Golden {
  /** `tool.settle-paused` is another message of the type `tool.settle`. */
  readonly name: string;
  readonly draft: Draft;
  readonly fixture: Fixture;
}

const decoder = new TextDecoder();

/** Every fixture of an envelope as today's code writes it. */
export const goldenMessages = (): readonly Golden[] => [
  ...[...Object.entries(goldenDrafts), ...goldenVariants].map(([name, draft]) => ({
    name,
    draft,
    fixture: fixtureOf(draft, { ...stamp, sender: senderOf(draft.type) }),
  })),
  { ...first, fixture: fixtureOf(first.draft, bare) },
  { ...older, fixture: without(fixtureOf(older.draft, stamp), ['Mesh-From', 'Mesh-Reply']) },
  { ...later, fixture: laterOf(fixtureOf(later.draft, stamp)) },
  { ...claimed, fixture: claimedOf(fixtureOf(claimed.draft, stamp)) },
];

const stamp: Stamp = {
  sender: 'worker.default',
  at: 1_800_000_000_000,
  since: 1_799_999_970_000,
  epoch: 1,
  trace_id: TraceId.parse('0af7651916cd43dd8448eb211c80319c'),
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  causation_id: WireId.parse('cd'.repeat(16)),
};

/** A first send that nothing led to and that nobody traces. */
const { traceparent: _, causation_id: __, ...rest } = stamp;
const bare: Stamp = { ...rest, since: rest.at, epoch: 0 };

const first = { name: 'job.submit-first', draft: goldenDrafts['job.submit'] };
const older = { name: 'tool.call-older', draft: goldenDrafts['tool.call'] };
const later = { name: 'tool.call-later', draft: goldenDrafts['tool.call'] };
const claimed = { name: 'tool.call-claim', draft: goldenDrafts['tool.call'] };

const fixtureOf = (draft: Draft, by: Stamp): Fixture => {
  const { message } = seal(draft, by);
  return {
    subject: message.subject,
    headers: writeHeaders(message.headers),
    body: decoder.decode(message.body),
  };
};

const without = ({ headers, ...fixture }: Fixture, names: readonly string[]): Fixture => ({
  ...fixture,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
});

/** The same, to be handed back until a time. */
const laterOf = (fixture: Fixture): Fixture => {
  const body = JSON.parse(fixture.body) as object; // just written
  return { ...fixture, body: JSON.stringify({ ...body, not_before: stamp.at + 5_000 }) };
};

/** The same with its payload in the blob store, as if it were too large to travel. */
const claimedOf = (fixture: Fixture): Fixture => {
  const { payload, ...outer } = JSON.parse(fixture.body) as { readonly payload: unknown }; // just written
  const claim = encodeJson(payload);
  const body = { ...outer, payload_ref: { digest: digestOf(claim), bytes: claim.length } };
  return { ...fixture, body: JSON.stringify(body), claim: decoder.decode(claim) };
};

/** Who sends a type. */
const senderOf = (type: Type): Party => {
  if (type === 'tool.settle') return 'tool-gateway.default';
  if (type === 'memory.settle') return 'memory';
  const [noun] = type.split('.');
  const byWorker = ['tool', 'model', 'memory', 'input'].includes(noun ?? '') || type === 'task.settle';
  return byWorker ? 'worker.default' : 'manager';
};

/** The folder and file of a fixture. */
export const goldenPath = ({ name, draft }: Golden): string => `v${kindOf(draft.type).v}/${name}.json`;
