export { type JetStreamPorts, openJetStream } from './jet-stream.ts';
export type { StreamReport } from './report-streams.ts';
export type { JetStreamSettings, JetStreamTimings, TopologySettings } from './settings.ts';
export { type Difference, differenceText, type TopologyReport, topologyFault } from './topology.ts';
