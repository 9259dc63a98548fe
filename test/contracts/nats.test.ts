import { natsServer } from '@foldmesh/testbed';
import { natsContract } from './nats-contract.ts';
import { natsRig } from './nats-rig.ts';

natsContract(natsRig('NATS', natsServer));
