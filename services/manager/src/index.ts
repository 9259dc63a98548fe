export { type CatalogueView, catalogueView } from './catalogue-view.ts';
export { configuredManager } from './configured-manager.ts';
export { type AppSettings, loopbackNames, type ManagerApp, managerApp } from './http/manager-app.ts';
export { type ManagerSettings, managerService } from './service.ts';
