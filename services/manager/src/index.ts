export { type CatalogueView, catalogueView } from './catalogue-view.ts';
export { type ManagerSettings, managerService } from './service.ts';
