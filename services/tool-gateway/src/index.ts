export { checkArguments } from './check-arguments.ts';
export { builtInTools, configuredGateway, outputFolder } from './configured-gateway.ts';
export { type FilesSettings, filesTools } from './files-tools.ts';
export { type HttpToolSettings, httpTool } from './http-tool.ts';
export { personTool } from './person-tool.ts';
export { type GatewaySettings, gatewayService } from './service.ts';
