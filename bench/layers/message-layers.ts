import {
  canonicalJson,
  decodeJson,
  encodeJson,
  fingerprint,
  type Json,
  openOuter,
  openPayload,
  readHeaders,
  type Sealed,
  writeHeaders,
} from '@foldmesh/envelope';
import { hopMessage } from '../hop/hop-messages.ts';
import { repeated } from '../measure/call-cost.ts';
import type { Layer } from './layer.ts';

/** What is done to every message without asking anybody: a tool call with a small input stands for all. */
export const messageLayers = (): readonly Layer[] => {
  const message = hopMessage('j-layers', 1);
  const headers = writeHeaders(message.headers);
  const value = JSON.parse(new TextDecoder().decode(message.body)) as { readonly payload: Json }; // sealed above
  return [
    {
      name: 'encode: value to bytes',
      times: repeated(() => encodeJson(value)),
      weight: { of: 'body', bytes: () => message.body.length },
    },
    { name: 'decode: bytes to value, checked', times: repeated(() => decodeJson(message.body)) },
    {
      name: 'fingerprint: SHA-256 of canonical JSON',
      times: repeated(() => fingerprint('tool.call', value.payload)),
      weight: { of: 'canonical JSON', bytes: () => Buffer.byteLength(canonicalJson(value.payload)) },
    },
    {
      name: 'seal: draft to message, all of it',
      times: repeated(() => hopMessage('j-layers', 1)),
      weight: { of: 'subject, headers, body', bytes: () => wireBytes(message) },
    },
    {
      name: 'open: message to envelope, all of it',
      times: repeated(() => opened(headers, message.body)),
    },
  ];
};

const opened = (raw: Readonly<Record<string, string>>, body: Uint8Array): unknown => {
  const headers = readHeaders(raw);
  if (!headers.ok) throw new Error(headers.fault.detail);
  const outer = openOuter(headers.value, body);
  if (!outer.ok) throw new Error(outer.fault.detail);
  const envelope = openPayload(headers.value, outer.value);
  if (!envelope.ok) throw new Error(envelope.fault.detail);
  return envelope.value;
};

/** As NATS sends it: each header is a line, and so is the version above them. */
const wireBytes = ({ subject, headers, body }: Sealed): number =>
  Object.entries(writeHeaders(headers)).reduce(
    (sum, [name, text]) => sum + name.length + text.length + ': \r\n'.length,
    subject.length + 'NATS/1.0\r\n\r\n'.length + body.length,
  );
