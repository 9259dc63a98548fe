export { type CatalogueView, catalogueView } from './catalogue-view.ts';
export { type AppSettings, type ManagerApp, managerApp } from './http/manager-app.ts';
export { type ManagerSettings, managerService } from './service.ts';
