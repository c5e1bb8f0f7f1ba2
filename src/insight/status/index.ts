export { type AppStatus, readAppStatus } from './app-status.ts';
export { type ProjectStatus, readProjectStatus } from './project-status.ts';
export { isOperational, type ServiceStatus } from './service-status.ts';
