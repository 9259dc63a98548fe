export { type CatalogueView, catalogueView } from './catalogue-view.ts';
export { configuredManager } from './configured-manager.ts';
export { judgeAnswer } from './http/judge-answer.ts';
export { type AppSettings, type ManagerApp, managerApp } from './http/manager-app.ts';
export { type Command, sendCommand } from './http/send-command.ts';
export { type ApiAccess, type OpenAccess, openAccess } from './keys/api-access.ts';
export { type ApiKey, Role, roles } from './keys/api-key.ts';
export { type KeysFile, keysFileAt, readKeys } from './keys/keys-file.ts';
export {
  createKey,
  firstKey,
  lifetimeMs,
  type MadeKey,
  type NewKey,
  revokeKey,
} from './keys/manage-keys.ts';
export { type ManagerSettings, managerService } from './service.ts';
export type { WhyApi } from './why/look.ts';
export { whyOf } from './why/why-of.ts';
