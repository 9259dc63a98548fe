import { fail, fault, ok } from '@foldmesh/envelope';
import type { ClaimRequest } from '@foldmesh/ports';
import { expect, it } from 'vitest';
import { storeGate } from './store-gate.ts';
import { fakeHost } from './testing/fake-host.ts';
import { fakePorts } from './testing/fake-ports.ts';

const away = fail(fault('unanswered', 'nobody answers'));
const request = {} as ClaimRequest; // nobody looks into it here
const never = new AbortController().signal;

const gateOn = () => {
  const ports = fakePorts();
  const gate = storeGate(fakeHost(ports));
  return {
    ports,
    gate,
    claim: () => gate.host.ports.inbox.claim(request),
    asked: () => ports.given('inbox.generation').length,
  };
};

it('is open as long as claims are answered, whatever the answer', async () => {
  const { ports, gate, asked, claim } = gateOn();
  ports.answer('inbox.claim', ok({ kind: 'held', leaseLeftMs: 1 }));
  for (let times = 0; times < 2; times++) expect((await claim()).ok).toBe(true);
  await gate.heard(never);
  expect(asked()).toBe(0);
});

it('is shut by a claim without an answer, until the store is heard again', async () => {
  const { ports, gate, asked, claim } = gateOn();
  ports.answer('inbox.claim', away);
  ports.answer('inbox.generation', away, away);
  expect(await claim()).toBe(away);
  let isOpen = false;
  const opening = gate.heard(never).then(() => {
    isOpen = true;
  });
  await ports.clock.pass(1_000);
  expect([isOpen, asked()]).toEqual([false, 2]);
  await ports.clock.pass(1_000);
  await opening;
  await gate.heard(never);
  expect(asked()).toBe(3);
  expect(ports.lines.filter((line) => line.startsWith('warn the dedup store is not heard')).length).toBe(1);
});

it('lets go of whoever does not want to take anything on any more', async () => {
  const { ports, gate, asked, claim } = gateOn();
  ports.answer('inbox.claim', away);
  ports.answer('inbox.generation', ...Array(9).fill(away));
  await claim();
  const intake = new AbortController();
  const opening = gate.heard(intake.signal);
  await ports.clock.pass(500);
  intake.abort();
  await opening;
  expect(asked()).toBe(1);
});
