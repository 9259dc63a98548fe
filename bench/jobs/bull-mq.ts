/** The part of BullMQ that is used here, as its version in `peers/` has it. */
export interface BullMq {
  readonly FlowProducer: new (
    settings: object,
  ) => {
    add(flow: object): Promise<{ readonly job: BullJob }>;
    setMaxListeners(count: number): unknown;
    close(): Promise<void>;
  };
  readonly QueueEvents: new (
    queue: string,
    settings: object,
  ) => {
    waitUntilReady(): Promise<unknown>;
    close(): Promise<void>;
  };
  readonly Worker: new (
    queue: string,
    work: (job: BullJob) => Promise<unknown>,
    settings: object,
  ) => {
    waitUntilReady(): Promise<unknown>;
    close(): Promise<void>;
  };
}

export interface BullJob {
  readonly data: unknown;
  waitUntilFinished(events: object): Promise<unknown>;
  getChildrenValues(): Promise<Readonly<Record<string, unknown>>>;
}

export const queues = { tasks: 'tasks', merges: 'merges' } as const;

export interface BullGiven {
  readonly port: number;
  readonly concurrency: number;
}
