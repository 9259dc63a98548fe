export { callOf, type FakeHost, fakeHost, handOf } from './testing/fake-host.ts';
export { type Answer, type FakePorts, fakePorts } from './testing/fake-ports.ts';
export { type HandClock, handClock } from './testing/hand-clock.ts';
export {
  type Delivered,
  deliveryOf,
  type FakeDelivery,
  job,
  jobCancel,
  keyAt,
  pool,
  sealed,
  tenant,
  toolCall,
  trace,
  type Which,
} from './testing/messages.ts';
export { type SeenSpan, type SpanSink, spanSink } from './testing/span-sink.ts';
export { writeEntry } from './write-entry.ts';
