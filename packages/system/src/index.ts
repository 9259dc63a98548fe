export { apiAccess } from './api-access.ts';
export type { Defined } from './definition-folder.ts';
export { fileLock } from './file-lock.ts';
export { hostRefusal } from './host-rule.ts';
export { type HttpServer, httpServer } from './http-server.ts';
export { jsonLog, type LogLevel } from './json-log.ts';
export { type Config, loadConfig, type Setting } from './load-config.ts';
export {
  type BuiltIn,
  type DefinitionFolders,
  type Definitions,
  loadDefinitions,
} from './load-definitions.ts';
export { type Checked, loadDocuments } from './load-documents.ts';
export { onSignals, type SignalHandlers } from './on-signals.ts';
export { onUncaught } from './on-uncaught.ts';
export { systemClock } from './system-clock.ts';
export { systemEnvironment } from './system-environment.ts';
export { privateFiles, systemFiles } from './system-files.ts';
export { type HttpSettings, systemHttp } from './system-http.ts';
export { systemRandom } from './system-random.ts';
export { workInTime } from './work-in-time.ts';
export { type ParsedText, problemText, yamlText } from './yaml-text.ts';
