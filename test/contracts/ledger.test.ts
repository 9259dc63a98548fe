import { embeddedRig } from './embedded-rig.ts';
import { ledgerContract } from './ledger-contract.ts';

ledgerContract(embeddedRig(1));
